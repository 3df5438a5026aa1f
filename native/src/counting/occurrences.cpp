#include "postil/counting/occurrences.hpp"

#include <algorithm>

namespace postil {

Occurrences::Occurrences(const Occurrence* first, std::size_t size, PageSlabs& slabs)
    : size_(size) {
    const auto* const last = first + size;
    if (std::all_of(first, last, [](Occurrence one) { return one.term <= largest_term; })) {
        packed_ = slabs.allocate<std::uint32_t>(size);
        pack(first, packed_.get());
    } else {
        whole_ = slabs.allocate<Occurrence>(size);
        std::copy(first, last, whole_.get());
    }
}

void Occurrences::pack(const Occurrence* first, std::uint32_t* packed) {
    for (std::size_t at = 0; at < size_; ++at) {
        const auto [term, count] = first[at];
        const bool fits = count <= largest_count;
        packed[at] = term << count_bits | (fits ? count : listed_apart);
        if (!fits) large_.push_back({at, count});
    }
}

std::uint32_t Occurrences::large_count(std::size_t at) const {
    return std::lower_bound(large_.begin(), large_.end(), at,
                            [](const LargeCount& large, std::size_t place) {
                                return large.at < place;
                            })
        ->count;
}

}  // namespace postil
