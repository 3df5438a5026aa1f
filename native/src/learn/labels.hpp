// A category's labels and document weights, made anew for each task in a worker's own memory.
#pragma once

#include <algorithm>
#include <vector>

#include "postil/training.hpp"

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
        problem.lambda = assignment.lambdas[category];
    }

private:
    std::vector<float> labels_;
    std::vector<double> weights_;
};

}  // namespace postil
