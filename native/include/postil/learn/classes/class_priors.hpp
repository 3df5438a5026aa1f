// The prior of each weight, if every class has weights for the same terms.
#pragma once

#include <vector>

#include "postil/learn/classes/polychotomous.hpp"

namespace postil {

// Memory: nothing for a class without priors of its own, else 56 bytes for each term; a selection
// of terms takes one byte for each class and term.
class ClassPriors {
public:
    ClassPriors(const PolychotomousProblem& problem, const PolychotomousOptions& options)
        : terms_(problem.design.terms.count),
          is_free_(options.intercept == Intercept::free),
          strengths_(problem.strengths),
          common_(problem.term_priors.common),
          own_(problem.classes()) {
        for (const auto& strength : strengths_) usual_.push_back(TermPrior{}.prior(strength));
        if (!problem.term_priors.own_priors.empty())
            for (std::size_t c = 0; c < own_.size(); ++c) keep_own(problem.term_priors, c);
        if (problem.terms != nullptr) keep_selection(*problem.terms);
    }

    // Returns the prior of a weight; the constant is past all terms.
    Prior operator()(std::size_t of_class, std::size_t term) const {
        if (term == terms_ && is_free_) return {};
        if (!may_use(of_class, term)) return {0.0, 0.0, 0.0, 0.0, 0.0};
        if (!own_[of_class].empty()) return own_[of_class][term].prior(strengths_[of_class]);
        if (!common_.empty()) return common_[term].prior(strengths_[of_class]);
        return usual_[of_class];
    }

private:
    bool may_use(std::size_t of_class, std::size_t term) const {
        return used_.empty() || term == terms_ || used_[of_class * terms_ + term] != 0;
    }

    void keep_own(const TermPriors& given, std::size_t of_class) {
        const auto places = given.own[of_class];
        if (places.empty()) return;
        auto& own = own_[of_class];
        if (common_.empty()) own.assign(terms_ + 1, {});
        else own.assign(common_.begin(), common_.end());
        const auto first = static_cast<std::size_t>(given.own.starts[of_class]);
        for (std::size_t k = 0; k < places.size(); ++k)
            own[static_cast<std::size_t>(places[k])] = given.own_priors[first + k];
    }

    void keep_selection(const Lists& terms) {
        used_.assign(own_.size() * terms_, 0);
        for (std::size_t c = 0; c < own_.size(); ++c)
            for (const auto term : terms[c]) used_[c * terms_ + static_cast<std::size_t>(term)] = 1;
    }

    std::size_t terms_;
    bool is_free_;
    std::span<const Strength> strengths_;
    std::span<const TermPrior> common_;
    std::vector<std::vector<TermPrior>> own_;
    std::vector<Prior> usual_;
    std::vector<std::uint8_t> used_;
};

}  // namespace postil
