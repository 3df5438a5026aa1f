// A loss at many margins at once. The loops have no sums and no overlapping arrays, so that they
// are vectorized.
#pragma once

#include <cstddef>

#include "postil/learn/losses/losses.hpp"
#include "postil/learn/losses/smoothed_hinge_loss.hpp"

namespace postil {

// Computes f' and f''. Inlined, so that it is compiled for the processor of the caller.
template <class Loss>
[[gnu::always_inline]] inline void slopes_loop(Loss loss, std::size_t size,
                                               const double* __restrict margins,
                                               double* __restrict slopes,
                                               double* __restrict curvatures) {
    for (std::size_t k = 0; k < size; ++k) {
        const auto point = loss.at(margins[k]);
        slopes[k] = loss.slope(point);
        curvatures[k] = loss.curvature(point);
    }
}

// Computes f and f'.
template <class Loss>
[[gnu::always_inline]] inline void values_loop(Loss loss, std::size_t size,
                                               const double* __restrict margins,
                                               double* __restrict values, double* __restrict slopes) {
    for (std::size_t k = 0; k < size; ++k) {
        const auto point = loss.at(margins[k]);
        values[k] = loss.value(point);
        slopes[k] = loss.slope(point);
    }
}

template <class Loss>
void slopes_at(const Loss& loss, std::size_t size, const double* margins, double* slopes,
               double* curvatures) {
    slopes_loop(loss, size, margins, slopes, curvatures);
}
template <class Loss>
void values_at(const Loss& loss, std::size_t size, const double* margins, double* values,
               double* slopes) {
    values_loop(loss, size, margins, values, slopes);
}

// The most expensive losses, with AVX2 where the processor has it: the same operations in the same
// order, so that results do not depend on the processor.
void slopes_at(const LogisticLoss& loss, std::size_t size, const double* margins, double* slopes,
               double* curvatures);
void values_at(const LogisticLoss& loss, std::size_t size, const double* margins, double* values,
               double* slopes);
void slopes_at(const SmoothedHingeLoss& loss, std::size_t size, const double* margins, double* slopes,
               double* curvatures);
void values_at(const SmoothedHingeLoss& loss, std::size_t size, const double* margins, double* values,
               double* slopes);

}  // namespace postil
