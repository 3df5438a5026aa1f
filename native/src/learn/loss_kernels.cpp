#include "postil/loss_kernels.hpp"

#include "wide.hpp"

namespace postil {

POSTIL_WIDE void slopes_at(const LogisticLoss& given, std::size_t size, const double* __restrict margins,
                           double* __restrict slopes, double* __restrict curvatures) {
    const auto loss = given;
    for (std::size_t k = 0; k < size; ++k) {
        const auto point = loss.at(margins[k]);
        slopes[k] = loss.slope(point);
        curvatures[k] = loss.curvature(point);
    }
}

POSTIL_WIDE void values_at(const LogisticLoss& given, std::size_t size, const double* __restrict margins,
                           double* __restrict values, double* __restrict slopes) {
    const auto loss = given;
    for (std::size_t k = 0; k < size; ++k) {
        const auto point = loss.at(margins[k]);
        values[k] = loss.value(point);
        slopes[k] = loss.slope(point);
    }
}

POSTIL_WIDE void slopes_at(const SmoothedHingeLoss& given, std::size_t size,
                           const double* __restrict margins, double* __restrict slopes,
                           double* __restrict curvatures) {
    const auto loss = given;
    for (std::size_t k = 0; k < size; ++k) {
        const auto point = loss.at(margins[k]);
        slopes[k] = loss.slope(point);
        curvatures[k] = loss.curvature(point);
    }
}

POSTIL_WIDE void values_at(const SmoothedHingeLoss& given, std::size_t size,
                           const double* __restrict margins, double* __restrict values,
                           double* __restrict slopes) {
    const auto loss = given;
    for (std::size_t k = 0; k < size; ++k) {
        const auto point = loss.at(margins[k]);
        values[k] = loss.value(point);
        slopes[k] = loss.slope(point);
    }
}

}  // namespace postil
