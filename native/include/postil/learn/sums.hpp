// Sums over documents. Four interleaved partial sums avoid waiting for each addition before the
// next; the result is the same on every machine.
#pragma once

#include <cstddef>
#include <span>

namespace postil {

// Returns Σ part(i) for i < size.
template <class Part>
double summed(std::size_t size, Part&& part) {
    double lanes[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= size; i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += part(i + lane);
    for (std::size_t lane = 0; i < size; ++i, ++lane) lanes[lane] += part(i);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

inline double summed(std::span<const double> values) {
    return summed(values.size(), [&](std::size_t i) { return values[i]; });
}

}  // namespace postil
