// The labels, weights and per-term priors of a category, built for each task in the worker's own
// memory.
#pragma once

#include <algorithm>
#include <vector>

#include "postil/learn/training.hpp"

namespace postil {

class LabelScratch {
public:
    // Points the problem at the labels and weights of a category.
    void prepare(const Assignment& assignment, std::size_t category, BinaryProblem& problem) {
        const auto& documents = assignment.document_weights;
        labels_.assign(documents.size(), -1.0f);
        weights_.resize(documents.size());
        problem.documents = 0.0;
        for (std::size_t i = 0; i < documents.size(); ++i) {
            weights_[i] = documents[i] * assignment.other_weights[category];
            problem.documents += documents[i];
        }
        for (const auto member : assignment.members[category]) {
            labels_[static_cast<std::size_t>(member)] = 1.0f;
            weights_[static_cast<std::size_t>(member)] =
                documents[static_cast<std::size_t>(member)] * assignment.member_weights[category];
        }
        problem.labels = labels_;
        problem.weights = weights_;
        problem.term_priors = term_priors(assignment.term_priors, category, problem.design.terms.count);
    }

private:
    std::span<const TermPrior> term_priors(const TermPriors& given, std::size_t category,
                                           std::size_t terms) {
        if (given.own_priors.empty()) return given.common;
        if (given.common.empty()) term_priors_.assign(terms + 1, {});
        else term_priors_.assign(given.common.begin(), given.common.end());
        const auto own = given.own[category];
        const auto first = static_cast<std::size_t>(given.own.starts[category]);
        for (std::size_t k = 0; k < own.size(); ++k)
            term_priors_[static_cast<std::size_t>(own[k])] = given.own_priors[first + k];
        return term_priors_;
    }

    std::vector<float> labels_;
    std::vector<double> weights_;
    std::vector<TermPrior> term_priors_;
};

}  // namespace postil
