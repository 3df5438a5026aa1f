// The quadratic model of the loss around the current weights over a working set of coordinates,
// minimised together with the priors by coordinate descent.
//
// The constant is handled separately: it interacts with all terms, so it is set to its optimum
// after every step of another coordinate, which needs no pass over the documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/learn/losses/loss_view.hpp"
#include "postil/learn/problem.hpp"
#include "postil/learn/solvers/column_gram.hpp"
#include "postil/learn/sums.hpp"
#include "postil/system/threads.hpp"

namespace postil {

class QuadraticModel {
public:
    explicit QuadraticModel(const BinaryProblem& problem) : problem_(problem) {}

    void begin() {
        changes_.assign(problem_.size(), 0.0);
        constant_ = {};
        set_.clear();
    }

    void clear() { set_.clear(); }
    void add(std::uint32_t place, const Prior& prior) {
        if (place == problem_.terms.size()) constant_ = {place, prior};
        else set_.push_back({place, prior});
    }
    void sort() { std::ranges::sort(set_, {}, &Coordinate::place); }
    std::size_t size() const { return set_.size(); }

    // Computes slopes and curvatures of the loss along every coordinate at these weights.
    void expand(const LossView& loss, std::span<const double> weights) {
        weights_ = weights;
        std::size_t first = 0;
        for (auto& each : set_) {
            const auto column = column_of(each);
            if (products_.size() < first + column.size) products_.resize(2 * (first + column.size));
            auto* products = products_.data() + (each.first = first);
            double slope = 0.0, curvature = 0.0, cross = 0.0;
            for (std::size_t k = 0; k < column.size; ++k) {
                const auto i = column.places[k];
                const double x = column.values[k];
                const auto product = loss.curvatures[i] * x;
                slope += loss.slopes[i] * x;
                curvature += product * x;
                cross += product;
                products[k] = static_cast<float>(product * problem_.documents);
            }
            first += column.size;
            each.slope = slope;
            each.curvature = curvature;
            each.cross = cross * problem_.constant;
        }
        nonzeros_ = first;
        has_gram_ = false;
        if (problem_.has_constant()) expand_constant(loss);
    }

    // Returns the sum of the violations of the optimality conditions at the current weights.
    double violation() const {
        double sum = 0.0;
        for_all([&](const Coordinate& each) {
            sum += each.prior.violation(each.slope, weights_[each.place]);
        });
        return sum;
    }

    // Coordinate descent: one pass over all coordinates, then passes over those not at the mode of
    // their prior until they hardly move, and so on, until the violations are `enough` times those
    // of the first pass, or for at most `most_passes` passes. Returns the number of passes.
    std::uint64_t minimise(std::uint64_t most_passes, double enough, Monitor& monitor) {
        begin_descent();
        std::uint64_t passes = 0;
        double first = 0.0;
        for (bool is_first = true; passes < most_passes; is_first = false) {
            monitor.check();
            moving_.clear();
            double met = 0.0;
            for (auto& each : set_) {
                met += step(each);
                if (weights_[each.place] + each.change != each.prior.mode()) moving_.push_back(&each);
            }
            ++passes;
            if (is_first) first = met;
            else if (met <= enough * first) break;
            for (; passes < most_passes; ++passes) {
                monitor.check();
                met = 0.0;
                for (auto* each : moving_) met += step(*each);
                if (met <= 0.5 * enough * first) break;
            }
        }
        end_descent();
        return passes;
    }

    // After `expand`: returns true if a pass is cheap compared to the rest of a step. Builds the
    // Gram matrix of the columns if that pays within a few passes; a pass then costs the square of
    // the size of the working set instead of its non-zeros.
    bool make_passes_cheap() { return nonzeros_ <= problem_.size() || build_gram(); }

    // Returns the change of the objective that the model predicts for the whole step; negative
    // except for rounding errors.
    double predicted_change() const {
        double sum = penalty_change(1.0);
        for_all([&](const Coordinate& each) { sum += each.slope * each.change; });
        return sum;
    }

    double penalty() const {
        double sum = 0.0;
        for_all([&](const Coordinate& each) { sum += each.prior.value(weights_[each.place]); });
        return sum;
    }

    double penalty_change(double share) const {
        double sum = 0.0;
        for_all([&](const Coordinate& each) {
            const auto weight = weights_[each.place];
            sum += each.prior.value(weight + share * each.change) - each.prior.value(weight);
        });
        return sum;
    }

    // Computes the scores after a share of the step.
    void move_scores(const std::vector<double>& from, double share, std::vector<double>& to) const {
        const auto shift = constant_.change * problem_.constant;
        for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] + share * (changes_[i] + shift);
    }
    void move_weights(double share, std::vector<double>& weights) const {
        for_all([&](const Coordinate& each) { weights[each.place] += share * each.change; });
    }

    // Computes the slopes of the loss after the whole step as the model predicts them. If the model
    // was minimised, they satisfy the optimality conditions of the working set exactly, which the
    // true slopes only do approximately. They are clamped to the range of slopes of the loss.
    void predict_slopes(const LossView& loss, std::vector<double>& slopes) const {
        const auto shift = constant_.change * problem_.constant;
        slopes.resize(loss.slopes.size());
        for (std::size_t i = 0; i < slopes.size(); ++i) {
            const auto steepest = -problem_.labels[i] * problem_.weights[i] / problem_.documents;
            const auto slope = loss.slopes[i] + loss.curvatures[i] * (changes_[i] + shift);
            slopes[i] = std::clamp(slope, std::min(0.0, steepest), std::max(0.0, steepest));
        }
    }

private:
    struct Coordinate {
        std::uint32_t place;
        Prior prior;
        double slope = 0.0;
        double curvature = 0.0;
        double cross = 0.0;     // second derivative with the constant
        double change = 0.0;    // dⱼ
        std::size_t first = 0;  // start of its column in products_
    };

    template <class Visit>
    void for_all(Visit&& visit) const {
        for (const auto& each : set_) visit(each);
        if (problem_.has_constant()) visit(constant_);
    }

    SparseLine column_of(const Coordinate& each) const {
        return problem_.design.terms[static_cast<std::size_t>(problem_.terms[each.place])];
    }

    void expand_constant(const LossView& loss) {
        const auto x = problem_.constant;
        constant_.slope = x * summed(loss.slopes);
        constant_.curvature = x * x * summed(loss.curvatures);
    }

    bool build_gram() {
        const auto size = static_cast<double>(set_.size()), nonzeros = static_cast<double>(nonzeros_);
        const auto saved = passes_to_pay * (2.0 * nonzeros - 0.3 * size * size);
        if (saved < ColumnGram::least_build_cost(nonzeros_) ||
            !ColumnGram::is_small_enough(set_.size(), nonzeros_))
            return false;
        std::vector<SparseLine> columns;
        columns.reserve(set_.size());
        for (const auto& each : set_) columns.push_back(column_of(each));
        if (gram_.build_cost(std::move(columns), problem_.size()) > saved) return false;
        gram_.build(products_.data());
        return has_gram_ = true;
    }

    void begin_descent() {
        std::fill(changes_.begin(), changes_.end(), 0.0);
        for (auto& each : set_) each.change = 0.0;
        constant_.change = 0.0;
        pull_ = constant_.slope;
        cross_slopes_.assign(set_.size(), 0.0);
        step_of_constant();
    }

    // The changes of the documents are not updated while the Gram matrix is used.
    void end_descent() {
        if (!has_gram_) return;
        for (auto& each : set_)
            if (each.change != 0.0) column_of(each).add_to(changes_.data(), each.change);
    }

    std::size_t number_of(const Coordinate& each) const {
        return static_cast<std::size_t>(&each - set_.data());
    }

    void update_cross_slopes(const Coordinate& each, double change) {
        const auto* products = gram_[number_of(each)];
        for (std::size_t k = 0; k < cross_slopes_.size(); ++k) cross_slopes_[k] += change * products[k];
    }

    // Returns Σᵢ n curvatureᵢ xᵢⱼ times the change of the document's score, without the constant.
    double cross_slope(const Coordinate& each) const {
        if (has_gram_) return cross_slopes_[number_of(each)];
        const auto column = column_of(each);
        const auto* products = products_.data() + each.first;
        double sum = 0.0;
        for (std::size_t k = 0; k < column.size; ++k) sum += products[k] * changes_[column.places[k]];
        return sum;
    }

    // Takes one step of coordinate descent; returns the violation before the step.
    double step(Coordinate& each) {
        const auto slope =
            each.slope + each.cross * constant_.change + cross_slope(each) / problem_.documents;
        const auto weight = weights_[each.place] + each.change;
        const auto change = each.prior.step(slope, each.curvature + ridge, weight);
        if (change != 0.0) {
            each.change += change;
            if (has_gram_) update_cross_slopes(each, change);
            else column_of(each).add_to(changes_.data(), change);
            pull_ += change * each.cross;
            step_of_constant();
        }
        return each.prior.violation(slope, weight);
    }

    void step_of_constant() {
        if (!problem_.has_constant()) return;
        const auto change = constant_.prior.step(pull_, constant_.curvature + ridge,
                                                 weights_.back() + constant_.change);
        constant_.change += change;
        pull_ += change * constant_.curvature;
    }

    static constexpr double passes_to_pay = 12.0;
    static constexpr double ridge = 1e-12;  // for columns without curvature

    const BinaryProblem& problem_;
    std::span<const double> weights_;
    std::vector<Coordinate> set_;
    std::vector<Coordinate*> moving_;
    Coordinate constant_{};
    double pull_ = 0.0;            // slope of the model along the constant
    std::vector<double> changes_;  // Σⱼ dⱼ xᵢⱼ, without the constant
    // n curvatureᵢ xᵢⱼ of the columns, concatenated. Single precision suffices for the model and
    // halves the memory traffic.
    std::vector<float> products_;
    std::size_t nonzeros_ = 0;  // of the columns
    ColumnGram gram_;
    bool has_gram_ = false;             // built for the current model
    std::vector<double> cross_slopes_;  // with the Gram matrix: Σₖ dₖ times the products, by coordinate
};

}  // namespace postil
