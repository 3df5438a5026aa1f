// The weights of all classes with their columns and priors, shared by a solver and its quadratic
// model.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "postil/learn/classes/class_priors.hpp"
#include "postil/learn/classes/polychotomous.hpp"

namespace postil {

class ClassWeights {
public:
    ClassWeights(const PolychotomousProblem& problem, const PolychotomousOptions& options)
        : problem_(problem), options_(options), priors_(problem, options),
          width_(problem.design.terms.count + 1), weights_(problem.classes() * width_),
          largest_(width_, options.constant) {
        for (std::size_t c = 0; c < problem.classes(); ++c)
            if (static_cast<std::int32_t>(c) != problem.reference) moving_.push_back(c);
        for (std::size_t term = 0; term < terms(); ++term) {
            largest_[term] = 0.0;
            for_each(term, [&](std::size_t, double x) {
                largest_[term] = std::max(largest_[term], std::abs(x));
            });
        }
    }

    std::size_t terms() const { return width_ - 1; }
    // Returns the number of weights of a class; with an intercept the constant is past all terms.
    std::size_t coordinates() const { return terms() + (options_.intercept != Intercept::none); }
    // Returns the position of a weight among those of all classes.
    std::size_t place(std::size_t of_class, std::size_t term) const { return of_class * width_ + term; }
    std::size_t size() const { return weights_.size(); }

    double& operator()(std::size_t of_class, std::size_t term) { return weights_[place(of_class, term)]; }
    Prior prior(std::size_t of_class, std::size_t term) const { return priors_(of_class, term); }

    // All classes except the reference.
    const std::vector<std::size_t>& moving() const { return moving_; }
    // The largest |x| of a term.
    double largest(std::size_t term) const { return largest_[term]; }

    // Calls visit(document, x) for every non-zero of a term's column.
    template <class Visit>
    void for_each(std::size_t term, Visit&& visit) const {
        if (term == terms()) {
            for (std::size_t i = 0; i < problem_.size(); ++i) visit(i, options_.constant);
            return;
        }
        const auto column = problem_.design.terms[term];
        for (std::size_t k = 0; k < column.size; ++k)
            visit(static_cast<std::size_t>(column.places[k]), static_cast<double>(column.values[k]));
    }

private:
    const PolychotomousProblem& problem_;
    const PolychotomousOptions& options_;
    ClassPriors priors_;
    std::size_t width_;            // terms and the constant
    std::vector<double> weights_;  // by class, then by term
    std::vector<double> largest_;
    std::vector<std::size_t> moving_;
};

}  // namespace postil
