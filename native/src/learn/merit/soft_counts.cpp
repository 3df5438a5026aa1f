#include "postil/learn/merit/soft_counts.hpp"

#include <algorithm>
#include <cmath>

#include "../wide.hpp"
#include "postil/learn/losses/elementary.hpp"
#include "row_blocks.hpp"

namespace postil {

namespace {

// The sums of one block of documents: four rows of problems.
struct BlockCounts {
    double* members;
    double* others;
    double* sure_members;
    double* sure_others;
};

template <class Value>
[[gnu::always_inline]] inline void accept_row(const Value* __restrict scores,
                                              const std::int8_t* __restrict cases, double weight,
                                              std::size_t problems,
                                              const double* __restrict steepness,
                                              const double* __restrict offsets,
                                              Value* __restrict acceptances, const BlockCounts& sums) {
    for (std::size_t p = 0; p < problems; ++p) {
        const double score = scores[p];
        const double z = steepness[p] * (score - offsets[p]);
        const double small = exp_below(-std::abs(z));
        const double accepted = (z < 0.0 ? small : 1.0) / (1.0 + small);
        // Select instead of branch, so that the loop is vectorized.
        const double member = cases[p] > 0 ? weight : 0.0, other = cases[p] < 0 ? weight : 0.0;
        const double sure_member = score > 0.0 ? member : 0.0, sure_other = score > 0.0 ? other : 0.0;
        acceptances[p] = static_cast<Value>(cases[p] != 0 ? accepted : 0.0);
        sums.members[p] += accepted * member;
        sums.others[p] += accepted * other;
        sums.sure_members[p] += sure_member;
        sums.sure_others[p] += sure_other;
    }
}

template <class Value>
[[gnu::always_inline]] inline void turn_row(Value* __restrict values,
                                            const std::int8_t* __restrict cases, double weight,
                                              std::size_t problems,
                                            const double* __restrict steepness,
                                            const double* __restrict by_member,
                                            const double* __restrict by_other, double* __restrict sums) {
    for (std::size_t p = 0; p < problems; ++p) {
        const double accepted = values[p];
        const double gain = weight * (cases[p] > 0 ? by_member[p] : by_other[p]);
        const double slope = steepness[p] * accepted * (1.0 - accepted) * gain;
        values[p] = static_cast<Value>(slope);
        sums[p] += slope;
    }
}

POSTIL_WIDE void accept_singles(const float* scores, const std::int8_t* cases, double weight, std::size_t problems,
                                const double* steepness, const double* offsets, float* acceptances,
                                const BlockCounts& sums) {
    accept_row(scores, cases, weight, problems, steepness, offsets, acceptances, sums);
}

POSTIL_WIDE void accept_doubles(const double* scores, const std::int8_t* cases, double weight, std::size_t problems,
                                const double* steepness, const double* offsets, double* acceptances,
                                const BlockCounts& sums) {
    accept_row(scores, cases, weight, problems, steepness, offsets, acceptances, sums);
}

POSTIL_WIDE void turn_singles(float* values, const std::int8_t* cases, double weight, std::size_t problems,
                              const double* steepness, const double* by_member, const double* by_other,
                              double* sums) {
    turn_row(values, cases, weight, problems, steepness, by_member, by_other, sums);
}

POSTIL_WIDE void turn_doubles(double* values, const std::int8_t* cases, double weight, std::size_t problems,
                              const double* steepness, const double* by_member, const double* by_other,
                              double* sums) {
    turn_row(values, cases, weight, problems, steepness, by_member, by_other, sums);
}

constexpr auto accept_values(const float*) { return &accept_singles; }
constexpr auto accept_values(const double*) { return &accept_doubles; }
constexpr auto turn_values(const float*) { return &turn_singles; }
constexpr auto turn_values(const double*) { return &turn_doubles; }

}  // namespace

SoftCounts::SoftCounts(std::size_t problems)
    : true_positives(problems),
      false_positives(problems),
      sure_true_positives(problems),
      sure_false_positives(problems) {}

template <class Value>
SoftCounts accept(const Value* scores, const Cases& cases, const Windows& windows, Value* acceptances,
                  std::size_t threads, Monitor& monitor) {
    const auto problems = cases.problems;
    const auto sums = sum_row_blocks(
        cases.documents(), 4 * problems, threads, monitor,
        [&](std::size_t row, double* into) {
            const BlockCounts of_block{into, into + problems, into + 2 * problems, into + 3 * problems};
            const auto start = row * problems;
            accept_values(scores)(scores + start, cases.values + start, cases.weights[row], problems,
                                  windows.steepness.data(), windows.offsets.data(), acceptances + start,
                                  of_block);
        });
    SoftCounts counts(problems);
    const auto part = [&](std::size_t k) { return sums.begin() + static_cast<std::ptrdiff_t>(k * problems); };
    std::copy(part(0), part(1), counts.true_positives.begin());
    std::copy(part(1), part(2), counts.false_positives.begin());
    std::copy(part(2), part(3), counts.sure_true_positives.begin());
    std::copy(part(3), part(4), counts.sure_false_positives.begin());
    return counts;
}

template <class Value>
std::vector<double> slopes_of(Value* acceptances, const Cases& cases,
                              std::span<const double> steepness, std::span<const double> by_member,
                              std::span<const double> by_other, std::size_t threads, Monitor& monitor) {
    const auto problems = cases.problems;
    return sum_row_blocks(cases.documents(), problems, threads, monitor,
                          [&](std::size_t row, double* into) {
                              const auto start = row * problems;
                              turn_values(acceptances)(acceptances + start, cases.values + start,
                                                       cases.weights[row], problems, steepness.data(), by_member.data(),
                                                       by_other.data(), into);
                          });
}

template SoftCounts accept(const float*, const Cases&, const Windows&, float*, std::size_t, Monitor&);
template SoftCounts accept(const double*, const Cases&, const Windows&, double*, std::size_t, Monitor&);
template std::vector<double> slopes_of(float*, const Cases&, std::span<const double>,
                                       std::span<const double>, std::span<const double>, std::size_t,
                                       Monitor&);
template std::vector<double> slopes_of(double*, const Cases&, std::span<const double>,
                                       std::span<const double>, std::span<const double>, std::size_t,
                                       Monitor&);

}  // namespace postil
