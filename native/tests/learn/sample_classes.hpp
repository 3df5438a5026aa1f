// Small polychotomous problems with direct computations: a sample problem in which every document
// has one class. Some classes have no members, one may be the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "postil/learn/classes/polychotomous.hpp"
#include "sample_problem.hpp"

namespace postil::tests {

// Weights of all classes, each with the constant past its terms.
using ClassTable = std::vector<std::vector<double>>;

class SampleClasses {
public:
    explicit SampleClasses(Random& random)
        : random_(random), base_(random, sizes(random)), chosen_(base_.chosen_terms()) {
        choose_labels();
        choose_weights();
        choose_strengths();
        choose_options();
    }
    // Not copyable: the problem points to members.
    SampleClasses(const SampleClasses&) = delete;
    SampleClasses& operator=(const SampleClasses&) = delete;

    std::size_t documents() const { return base_.documents(); }
    std::size_t classes() const { return base_.categories(); }
    std::size_t terms() const { return base_.terms(); }
    bool is_extreme() const { return base_.is_extreme(); }
    const PolychotomousOptions& options() const { return options_; }

    PolychotomousProblem problem() const {
        PolychotomousProblem problem;
        problem.design = base_.design();
        problem.terms = chosen_ ? &*chosen_ : nullptr;
        problem.labels = labels_;
        problem.weights = weights_;
        problem.documents = base_.total();
        problem.strengths = strengths_;
        problem.term_priors = base_.assignment(true).term_priors;
        problem.reference = reference_;
        return problem;
    }

    // The prior of a weight; a missing or fixed weight stays at 0.
    Prior prior(std::size_t of_class, std::size_t term) const {
        const Prior none{0.0, 0.0, 0.0, 0.0, 0.0};
        if (static_cast<std::int32_t>(of_class) == reference_) return none;
        if (term == terms()) {
            if (options_.intercept == Intercept::none) return none;
            if (options_.intercept == Intercept::free) return {};
        } else if (std::ranges::count(base_.terms_of(of_class), static_cast<std::int32_t>(term)) == 0) {
            return none;
        }
        return base_.prior(of_class, point_, term, true);
    }

    ClassTable table() const { return {classes(), std::vector<double>(terms() + 1)}; }
    ClassTable at_rest() const {
        auto rest = table();
        for (std::size_t c = 0; c < classes(); ++c)
            for (std::size_t term = 0; term <= terms(); ++term) rest[c][term] = prior(c, term).mode();
        return rest;
    }

    double objective(const ClassTable& weights) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < documents(); ++i) {
            const auto own = scores(weights, i);
            sum += share(i) * (log_sum(own) - own[static_cast<std::size_t>(labels_[i])]);
        }
        for (std::size_t c = 0; c < classes(); ++c)
            for (std::size_t term = 0; term <= terms(); ++term)
                sum += prior(c, term).value(weights[c][term]);
        return sum;
    }

    // The largest violation of the optimality conditions, each relative to its weight's unit
    // (problem.hpp).
    double residual(const ClassTable& weights) const {
        const auto slopes = this->slopes(weights);
        double largest = 0.0;
        for (std::size_t term = 0; term <= terms(); ++term) {
            const auto steepest = this->steepest(term);
            for (std::size_t c = 0; c < classes(); ++c) {
                const auto own = prior(c, term);
                const auto unit = violation_unit(own, steepest);
                if (unit > 0.0)
                    largest = std::max(largest, own.violation(slopes[c][term], weights[c][term]) / unit);
            }
        }
        return largest;
    }

    // The largest possible slope of the loss.
    double steepest() const {
        double largest = options_.constant;
        for (std::size_t i = 0; i < documents(); ++i)
            for (std::size_t j = 0; j < terms(); ++j)
                largest = std::max(largest, std::abs(base_.value(i, j)));
        return largest * std::accumulate(weights_.begin(), weights_.end(), 0.0) / base_.total();
    }

    // True if all terms have priors that bound their weights, and all constants have one or none
    // has.
    bool has_gap() const {
        std::size_t free_constants = 0, constants = 0;
        for (std::size_t c = 0; c < classes(); ++c) {
            for (std::size_t term = 0; term < terms(); ++term)
                if (!prior(c, term).is_bounded()) return false;
            if (static_cast<std::int32_t>(c) == reference_) continue;
            ++constants;
            free_constants += !prior(c, terms()).is_bounded();
        }
        return free_constants == 0 || free_constants == constants;
    }

private:
    // The steepest slope of the loss along the weights of a term.
    double steepest(std::size_t term) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < documents(); ++i)
            sum += share(i) * std::abs(term == terms() ? options_.constant : base_.value(i, term));
        return sum;
    }

    // Sometimes more documents than one task takes.
    static ProblemSizes sizes(Random& random) {
        return {random.one_in(50) ? std::size_t{1200} : std::size_t{24}, 2, random.one_in(4) ? 9u : 4u};
    }

    // All classes equally frequent, or two of them nearly alone.
    void choose_labels() {
        const auto common = random_.one_in(2) ? classes() : 2;
        for (std::size_t i = 0; i < documents(); ++i) {
            const auto among = random_.one_in(20) ? classes() : common;
            labels_.push_back(static_cast<std::int32_t>(random_.below(among)));
        }
        if (random_.one_in(3)) reference_ = static_cast<std::int32_t>(random_.below(classes()));
    }

    // Sample weights times class weights.
    void choose_weights() {
        const auto given = base_.assignment(true);
        const bool are_balanced = random_.one_in(3);
        for (std::size_t i = 0; i < documents(); ++i) {
            const auto of_class = given.member_weights[static_cast<std::size_t>(labels_[i])];
            weights_.push_back(given.document_weights[i] * (are_balanced ? of_class : 1.0));
        }
    }

    // One of the points of the sample's paths.
    void choose_strengths() {
        const auto given = base_.assignment(true);
        point_ = random_.below(base_.points());
        for (std::size_t c = 0; c < classes(); ++c) strengths_.push_back(given.strengths_of(c)[point_]);
    }

    void choose_options() {
        options_.intercept = static_cast<Intercept>(random_.below(3));
        options_.constant = random_.pick(std::vector<double>{1.0, 1.0, 0.1, 10.0});
        options_.steps = static_cast<std::uint32_t>(random_.between(1, random_.one_in(2) ? 8 : 300));
        options_.tolerance = random_.pick(std::vector<double>{0.0, 0.1, 1e-3, 1e-6});
        options_.passes = static_cast<std::uint32_t>(random_.between(1, 30));
        options_.least_set = static_cast<std::uint32_t>(random_.between(1, 8));
    }

    double share(std::size_t i) const { return weights_[i] / base_.total(); }

    std::vector<double> scores(const ClassTable& weights, std::size_t i) const {
        std::vector<double> scores;
        for (const auto& own : weights) {
            scores.push_back(own[terms()] * options_.constant);
            for (std::size_t j = 0; j < terms(); ++j) scores.back() += own[j] * base_.value(i, j);
        }
        return scores;
    }

    static double log_sum(const std::vector<double>& scores) {
        const auto most = *std::max_element(scores.begin(), scores.end());
        double sum = 0.0;
        for (const auto score : scores) sum += std::exp(score - most);
        return most + std::log(sum);
    }

    ClassTable slopes(const ClassTable& weights) const {
        auto slopes = table();
        for (std::size_t i = 0; i < documents(); ++i) {
            const auto own = scores(weights, i);
            const auto all = log_sum(own);
            for (std::size_t c = 0; c < classes(); ++c) {
                const auto is_member = labels_[i] == static_cast<std::int32_t>(c);
                const auto slope = share(i) * (std::exp(own[c] - all) - (is_member ? 1.0 : 0.0));
                for (std::size_t j = 0; j < terms(); ++j) slopes[c][j] += slope * base_.value(i, j);
                slopes[c][terms()] += slope * options_.constant;
            }
        }
        return slopes;
    }

    Random& random_;
    SampleProblem base_;
    std::optional<Lists> chosen_;  // terms of each class, if not all
    PolychotomousOptions options_;
    std::vector<std::int32_t> labels_;
    std::vector<double> weights_;
    std::vector<Strength> strengths_;
    std::size_t point_ = 0;
    std::int32_t reference_ = no_reference;
};

}  // namespace postil::tests
