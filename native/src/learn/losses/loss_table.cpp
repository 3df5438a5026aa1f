#include "postil/learn/losses/loss_table.hpp"

#include <limits>

#include "with_loss.hpp"

namespace postil {

LossTable tabulate(const LearnOptions& options, std::span<const double> margins) {
    LossTable table;
    for (const auto z : margins)
        with_loss(options, [&](auto loss) {
            table.values.push_back(loss.value(z));
            table.slopes.push_back(loss.slope(z));
            if constexpr (decltype(loss)::smooth) table.curvatures.push_back(loss.curvature(z));
        });
    return table;
}

double loss_bound(const LearnOptions& options, double margin, double distance) {
    return with_loss(options, [&](auto loss) {
        if constexpr (decltype(loss)::smooth)
            return loss.bound(loss.at(margin), loss.reach(distance));
        else return std::numeric_limits<double>::infinity();
    });
}

double loss_conjugate(const LearnOptions& options, double dual) {
    return with_loss(options, [&](auto loss) { return loss.conjugate(dual); });
}

double loss_dual_step(const LearnOptions& options, double dual, double margin, double steepness) {
    return with_loss(options, [&](auto loss) { return loss.dual_step(dual, margin, steepness); });
}

}  // namespace postil
