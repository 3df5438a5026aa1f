// Bounds of the documents' part of the gap: never below it, and tight near the slopes.
#pragma once

#include <cmath>
#include <vector>

#include "../ledger.hpp"
#include "../random.hpp"
#include "postil/learn/losses/loss_view.hpp"
#include "postil/learn/losses/smoothed_hinge_loss.hpp"

namespace postil::tests {

class SlackChecks {
public:
    SlackChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run() {
        check(LogisticLoss{});
        check(SmoothedHingeLoss{random_.pick(std::vector<double>{1.0, 20.0, 200.0})});
    }

private:
    template <class Loss>
    void check(const Loss& loss) {
        const auto weight = random_.pick(std::vector<double>{1.0, 1e-4, 30.0});
        const auto margin = random_.pick(std::vector<double>{-9.0, -2.0, -0.5, 0.0, 0.9, 1.1, 3.0, 12.0});
        const auto slope = -loss.slope(margin);
        const auto nearness = random_.pick(std::vector<double>{0.0, 1e-3, 0.03, 0.3, 1.0});
        const auto aim = random_.pick(std::vector<double>{0.0, 0.5, 1.0});
        const auto dual = slope + nearness * (aim - slope);
        const auto found = slack_at(loss, weight, weight * dual, weight * loss.value(margin), weight * slope,
                                    weight * loss.curvature(margin));
        const auto gap = weight * (loss.value(margin) + loss.conjugate(dual) + dual * margin);
        const auto rounding = 1e-12 * weight * (1.0 + std::abs(margin));
        ledger_.check(found >= gap - rounding, "the slack is an upper bound");
        if (std::abs(dual - slope) <= 0.1 * slope * (1.0 - slope))
            ledger_.check(found <= 1.01 * gap + rounding, "the slack is tight near the slopes");
    }

    Ledger& ledger_;
    Random& random_;
};

}  // namespace postil::tests
