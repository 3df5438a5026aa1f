// Converts the counts of a row to weights.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace postil {

enum class TermFrequency : std::uint8_t {
    binary,  // 1
    counts,  // n
    log,     // 1 + ln n
};

enum class Norm : std::uint8_t { none, l1, l2 };

struct Weighting {
    TermFrequency frequency = TermFrequency::counts;
    Norm norm = Norm::none;
    const double* idf = nullptr;  // by term; null means 1 throughout
    double unseen_idf = 0.0;      // of terms outside the vocabulary, which count in the norm
};

inline double term_frequency(TermFrequency kind, double count) {
    if (kind == TermFrequency::binary) return 1.0;
    return kind == TermFrequency::log ? 1.0 + std::log(count) : count;
}

// Returns the contribution of one weight to the norm, before the root is taken.
inline double norm_share(Norm norm, double weight) {
    return norm == Norm::l2 ? weight * weight : std::abs(weight);
}

inline double norm_scale(Norm norm, double shares) {
    if (norm == Norm::none || shares == 0.0) return 1.0;
    return 1.0 / (norm == Norm::l2 ? std::sqrt(shares) : shares);
}

// Returns true if terms outside the vocabulary affect a row.
inline bool weighs_unseen(const Weighting& weighting) {
    return weighting.unseen_idf != 0.0 && weighting.norm != Norm::none;
}

// Returns the contribution of a term outside the vocabulary to the norm, before the root is taken.
inline double unseen_share(const Weighting& weighting, double count) {
    return norm_share(weighting.norm,
                      term_frequency(weighting.frequency, count) * weighting.unseen_idf);
}

// Replaces the counts of one row by weights. `unseen` is the contribution to the norm of terms
// outside the vocabulary. Sums are float64; a row of norm 0 stays zero.
template <class Index>
void weigh_row(const Weighting& weighting, const Index* terms, float* values, std::size_t length,
               double unseen) {
    double shares = unseen;
    for (std::size_t i = 0; i < length; ++i) {
        auto weight = term_frequency(weighting.frequency, values[i]);
        if (weighting.idf != nullptr) weight *= weighting.idf[terms[i]];
        shares += norm_share(weighting.norm, weight);
        values[i] = static_cast<float>(weight);
    }
    const auto scale = norm_scale(weighting.norm, shares);
    if (scale == 1.0) return;
    for (std::size_t i = 0; i < length; ++i)
        values[i] = static_cast<float>(static_cast<double>(values[i]) * scale);
}

}  // namespace postil
