// Selects the compiled loss by name.
#pragma once

#include <stdexcept>
#include <utility>

#include "postil/learn/losses/losses.hpp"
#include "postil/learn/losses/probit_loss.hpp"
#include "postil/learn/losses/smoothed_hinge_loss.hpp"
#include "postil/learn/training.hpp"

namespace postil {

// Calls work(loss) with the loss named by the options.
template <class Work>
auto with_loss(const LearnOptions& options, Work&& work) -> decltype(work(SquaredLoss{})) {
    switch (options.loss) {
        case LossName::squared: return work(SquaredLoss{});
        case LossName::modified_squared: return work(ModifiedSquaredLoss{});
        case LossName::hinge: return work(HingeLoss{options.rate});
        case LossName::logistic: return work(LogisticLoss{options.printed_bound});
        case LossName::probit: return work(ProbitLoss{});
        case LossName::perceptron: return work(PerceptronLoss{});
        case LossName::smoothed_hinge: return work(SmoothedHingeLoss{options.gamma});
    }
    throw std::invalid_argument("unknown loss");
}

}  // namespace postil
