#include "postil/loss_view.hpp"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define POSTIL_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define POSTIL_WIDE
#endif

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
