// Products of X with the weights of all classes, and of its transpose with slopes: the linear part
// of a multi-class SVM.
//
// Classes are side by side in blocks of lanes (lanes.hpp): one pass over X serves a block. If
// classes have terms of their own, the gradient is 0 for terms that a class does not use.
//
// A pass costs non-zeros × classes, spread over the workers. Memory: one byte for each term and
// class if classes have terms of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/learn/classes/multiclass_svm.hpp"
#include "postil/learn/lanes/lanes.hpp"
#include "postil/system/threads.hpp"

namespace postil {

class ClassProducts {
public:
    static constexpr std::size_t width = block_lanes;

    ClassProducts(const PolychotomousProblem& problem, const MulticlassSvmOptions& options,
                  std::size_t workers, Monitor& monitor)
        : design_(problem.design),
          classes_(problem.classes()),
          blocks_((classes_ + width - 1) / width),
          workers_(workers),
          monitor_(monitor),
          has_constant_(options.intercept != Intercept::none),
          constant_(options.constant) {
        choose_terms(problem.terms);
    }

    std::size_t documents() const { return design_.documents.count; }
    std::size_t classes() const { return classes_; }
    std::size_t blocks() const { return blocks_; }
    std::span<const std::int32_t> terms() const { return terms_; }
    bool has_constant() const { return has_constant_; }
    double constant() const { return constant_; }

    // The number of rows of a block; the constant is last.
    std::size_t height() const { return terms_.size() + has_constant_; }
    std::size_t rows() const { return blocks_ * height(); }
    // Returns the position of a weight; the constant is past the terms.
    std::size_t weight_at(std::size_t of_class, std::size_t row) const {
        return (of_class / width * height() + row) * width + of_class % width;
    }
    // Returns the position of a score or of its slope.
    std::size_t score_at(std::size_t document, std::size_t of_class) const {
        return (of_class / width * documents() + document) * width + of_class % width;
    }
    std::size_t score_count() const { return documents() * blocks_ * width; }

    // X·weights, the constant last.
    void scores(const std::vector<double>& weights, std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        const auto parts = is_all_ ? (documents() + chunk - 1) / chunk : 1;
        run_tasks(blocks_ * parts, workers_, monitor_, [&](std::size_t task, std::size_t) {
            const auto block = task / parts, first = task % parts * chunk;
            const auto end = is_all_ ? std::min(documents(), first + chunk) : documents();
            multiply(weights.data() + block * height() * width, first, end,
                     out.data() + block * documents() * width);
        });
    }

    // Xᵀ·slopes, for the terms that a class uses.
    void gradient(const std::vector<double>& by, std::vector<double>& out) const {
        over_rows(out, [&](std::size_t block, std::size_t row, double* sums) {
            const double* slopes = by.data() + block * documents() * width;
            if (row == terms_.size()) return constant_gradient(slopes, sums);
            add_products<width>(design_.terms[term(row)], slopes, sums);
            if (used_.empty()) return;
            const auto* used = used_.data() + (block * terms_.size() + row) * width;
            for (std::size_t lane = 0; lane < width; ++lane) sums[lane] *= used[lane];
        });
    }

    // Calls fill(block, row, lanes) for the rows of all blocks, which are zero at first.
    template <class Fill>
    void over_rows(std::vector<double>& out, Fill&& fill) const {
        std::fill(out.begin(), out.end(), 0.0);
        const auto tasks = (rows() + rows_of_task - 1) / rows_of_task;
        run_tasks(tasks, workers_, monitor_, [&](std::size_t task, std::size_t) {
            const auto end = std::min(rows(), (task + 1) * rows_of_task);
            for (auto row = task * rows_of_task; row < end; ++row)
                fill(row / height(), row % height(), out.data() + row * width);
        });
    }

    // Calls visit(document, x) for the values of a row's term, or of the constant.
    template <class Visit>
    void for_each(std::size_t row, Visit&& visit) const {
        if (row == terms_.size()) {
            for (std::size_t i = 0; i < documents(); ++i) visit(i, constant_);
            return;
        }
        const auto column = design_.terms[term(row)];
        for (std::size_t k = 0; k < column.size; ++k)
            visit(static_cast<std::size_t>(column.places[k]), static_cast<double>(column.values[k]));
    }

private:
    static constexpr std::size_t chunk = 64, rows_of_task = 64;  // documents and rows per task

    std::size_t term(std::size_t row) const { return static_cast<std::size_t>(terms_[row]); }

    // Selects all terms, or those that any class uses; then marks which class uses which, if they
    // differ.
    void choose_terms(const Lists* lists) {
        const auto count = design_.terms.count;
        std::vector<std::uint8_t> is_used(count, lists == nullptr);
        if (lists != nullptr)
            for (const auto term : lists->places) is_used[static_cast<std::size_t>(term)] = 1;
        for (std::size_t j = 0; j < count; ++j)
            if (is_used[j]) terms_.push_back(static_cast<std::int32_t>(j));
        is_all_ = terms_.size() == count;
        if (lists != nullptr && !all_use_all(*lists)) mark_used(*lists);
    }
    bool all_use_all(const Lists& lists) const {
        for (std::size_t c = 0; c < classes_; ++c)
            if (lists[c].size() != terms_.size()) return false;
        return true;
    }
    void mark_used(const Lists& lists) {
        used_.assign(blocks_ * terms_.size() * width, 0);
        for (std::size_t c = 0; c < classes_; ++c)
            for (const auto term : lists[c]) {
                const auto found = std::ranges::lower_bound(terms_, term);
                const auto row = static_cast<std::size_t>(found - terms_.begin());
                used_[(c / width * terms_.size() + row) * width + c % width] = 1;
            }
    }

    // Multiplies one block: along documents if all terms are used, else along the terms.
    void multiply(const double* weights, std::size_t first, std::size_t end, double* out) const {
        if (is_all_)
            for (std::size_t i = first; i < end; ++i)
                add_products<width>(design_.documents[i], weights, out + i * width);
        else
            for (std::size_t row = 0; row < terms_.size(); ++row)
                add_multiples<width>(design_.terms[term(row)], weights + row * width, out);
        if (!has_constant_) return;
        const double* of_constant = weights + terms_.size() * width;
        for (std::size_t i = first; i < end; ++i)
            for (std::size_t lane = 0; lane < width; ++lane)
                out[i * width + lane] += constant_ * of_constant[lane];
    }

    void constant_gradient(const double* slopes, double* sums) const {
        for (std::size_t i = 0; i < documents(); ++i)
            for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += slopes[i * width + lane];
        for (std::size_t lane = 0; lane < width; ++lane) sums[lane] *= constant_;
    }

    Design design_;
    std::size_t classes_, blocks_, workers_;
    Monitor& monitor_;
    bool has_constant_;
    double constant_;
    std::vector<std::int32_t> terms_;
    bool is_all_ = true;
    std::vector<std::uint8_t> used_;  // by block, term and lane; empty if all classes use all terms
};

}  // namespace postil
