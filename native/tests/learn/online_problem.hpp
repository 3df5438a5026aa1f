// Small awkward problems for online updates: with huge and tiny values, initial exponents, and
// parts that are problems of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../random.hpp"
#include "online_reference.hpp"
#include "postil/learn/training.hpp"
#include "sample_problem.hpp"

namespace postil::tests {

// Some documents, categories and points of a sample, as a problem of their own.
struct ProblemPart {
    struct Range {
        std::size_t first = 0, count = 0;
    };

    OwnLines rows, columns;
    OwnLists members, terms;
    bool chooses_terms = false;
    std::vector<double> document_weights, member_weights, other_weights;
    std::vector<Strength> strengths;
    std::size_t points = 0;
    std::vector<std::vector<double>> starts, initial_exponents;  // by category, or none

    std::vector<Fit> learn(const LearnOptions& options, std::size_t workers) const {
        Assignment given{members.view(), document_weights, member_weights, other_weights,
                         strengths, points, {}, {}, {}};
        for (const auto& start : starts) given.starts.emplace_back(start);
        for (const auto& beginning : initial_exponents) given.initial_exponents.emplace_back(beginning);
        const auto own = terms.view();
        Monitor monitor;
        return train({rows.view(), columns.view()}, chooses_terms ? &own : nullptr, given, options,
                     workers, monitor);
    }
};

class OnlineProblem : public SampleProblem {
public:
    using Range = ProblemPart::Range;

    explicit OnlineProblem(Random& random) : SampleProblem(random, {24, 1, 10}) {
        const std::vector<double> scales{1e-35, 1e-6, 100.0, 1e10, 1e30};
        if (random.one_in(4)) scale_ = random.pick(scales);
        if (random.one_in(3)) choose_beginnings(random);
    }

    double scale() const { return scale_; }
    bool has_beginnings() const { return !initial_exponents_.empty(); }

    // A part with scaled values and the initial exponents of its categories. A path may be cut
    // short.
    ProblemPart part(Range documents, Range categories, Range points) const {
        ProblemPart part;
        const auto whole = assignment(false);
        for (std::size_t i = 0; i < documents.count; ++i) {
            part.document_weights.push_back(whole.document_weights[documents.first + i]);
            for (std::size_t j = 0; j < terms(); ++j)
                if (const auto x = scaled(documents.first + i, j); x != 0.0f) part.rows.add(j, x);
            part.rows.end_line();
        }
        for (std::size_t j = 0; j < terms(); ++j) {
            for (std::size_t i = 0; i < documents.count; ++i)
                if (const auto x = scaled(documents.first + i, j); x != 0.0f) part.columns.add(i, x);
            part.columns.end_line();
        }
        part.chooses_terms = chosen_terms().has_value();
        part.points = points.count;
        for (auto category = categories.first; category < categories.first + categories.count; ++category) {
            for (std::size_t i = 0; i < documents.count; ++i)
                if (is_member(documents.first + i, category))
                    part.members.places.push_back(static_cast<std::int32_t>(i));
            part.members.end_list();
            for (const auto term : terms_of(category)) part.terms.places.push_back(term);
            part.terms.end_list();
            part.member_weights.push_back(whole.member_weights[category]);
            part.other_weights.push_back(whole.other_weights[category]);
            const auto own = whole.strengths_of(category).subspan(points.first, points.count);
            part.strengths.insert(part.strengths.end(), own.begin(), own.end());
            if (!initial_exponents_.empty()) part.initial_exponents.push_back(initial_exponents_[category]);
        }
        return part;
    }

    // The same problem for one category, for direct computation.
    OnlineReference reference(std::size_t category, const LearnOptions& options) const {
        const bool has_constant = options.intercept != Intercept::none;
        const auto chosen = terms_of(category);
        std::vector<OnlineReference::Document> own;
        for (std::size_t i = 0; i < documents(); ++i) {
            auto& document = own.emplace_back();
            document.label = is_member(i, category) ? 1.0 : -1.0;
            document.weight = weight(i, category);
            for (const auto term : chosen)
                document.features.push_back(scaled(i, static_cast<std::size_t>(term)));
            if (has_constant) document.features.push_back(options.constant);
        }
        std::vector<Real> beginning(chosen.size() + 1);
        if (!initial_exponents_.empty() && !initial_exponents_[category].empty())
            beginning.assign(initial_exponents_[category].begin(), initial_exponents_[category].end());
        beginning.resize(chosen.size() + has_constant);
        return {std::move(own), std::move(beginning), static_cast<Real>(total()),
                options.entropy};
    }

    // C of the paper.
    double strength(std::size_t category, std::size_t point) const {
        const auto own = assignment(false).strengths_of(category)[point];
        return 1.0 / (2.0 * own.squared * total());
    }

private:
    float scaled(std::size_t document, std::size_t term) const {
        return static_cast<float>(scale_ * value(document, term));
    }

    void choose_beginnings(Random& random) {
        const auto size = random.pick(std::vector<double>{1e-3, 1.0, 1.0, 50.0});
        for (std::size_t category = 0; category < categories(); ++category) {
            auto& own = initial_exponents_.emplace_back();
            if (random.one_in(5)) continue;
            for (std::size_t place = 0; place <= terms_of(category).size(); ++place)
                own.push_back(random.one_in(3) ? 0.0 : size * random_share(random));
        }
    }

    // A random number from -1 to 1.
    static double random_share(Random& random) {
        return static_cast<double>(random.below(2001)) / 1000.0 - 1.0;
    }

    double scale_ = 1.0;                                  // of all values
    std::vector<std::vector<double>> initial_exponents_;  // by category, or none
};

}  // namespace postil::tests
