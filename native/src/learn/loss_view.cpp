#include "postil/loss_view.hpp"

#include "wide.hpp"

namespace postil {

POSTIL_WIDE void look_at(LogisticLoss loss, std::size_t size, double scale,
                         const float* __restrict labels, const double* __restrict weights,
                         const double* __restrict scores, double* __restrict values,
                         double* __restrict slopes, double* __restrict curvatures) {
    for (std::size_t i = 0; i < size; ++i) {
        const double label = labels[i], weight = weights[i] * scale;
        const auto point = loss.at(label * scores[i]);
        values[i] = weight * loss.value(point);
        slopes[i] = weight * label * loss.slope(point);
        curvatures[i] = weight * loss.curvature(point);
    }
}

}  // namespace postil
