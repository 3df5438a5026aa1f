#include "postil/learn/losses/loss_kernels.hpp"

#include "../wide.hpp"

namespace postil {

POSTIL_WIDE void slopes_at(const LogisticLoss& loss, std::size_t size, const double* margins,
                           double* slopes, double* curvatures) {
    slopes_loop(loss, size, margins, slopes, curvatures);
}

POSTIL_WIDE void values_at(const LogisticLoss& loss, std::size_t size, const double* margins,
                           double* values, double* slopes) {
    values_loop(loss, size, margins, values, slopes);
}

POSTIL_WIDE void slopes_at(const SmoothedHingeLoss& loss, std::size_t size, const double* margins,
                           double* slopes, double* curvatures) {
    slopes_loop(loss, size, margins, slopes, curvatures);
}

POSTIL_WIDE void values_at(const SmoothedHingeLoss& loss, std::size_t size, const double* margins,
                           double* values, double* slopes) {
    values_loop(loss, size, margins, values, slopes);
}

}  // namespace postil
