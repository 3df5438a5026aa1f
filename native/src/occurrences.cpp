#include "postil/occurrences.hpp"

#include <algorithm>

namespace postil {

Occurrences::Occurrences(const Occurrence* first, std::size_t size, PageSlabs& slabs)
    : size_(size) {
    constexpr std::size_t counts_in_word = sizeof(std::uint32_t);
    const auto words = size + (size + counts_in_word - 1) / counts_in_word;
    block_ = slabs.allocate<std::uint32_t>(words);
    auto* const small = reinterpret_cast<unsigned char*>(block_.get() + size);
    for (std::size_t at = 0; at < size; ++at) {
        block_[at] = first[at].term;
        const bool fits = first[at].count <= 0xFF;
        small[at] = static_cast<unsigned char>(fits ? first[at].count : listed_apart);
        if (!fits) large_.push_back({at, first[at].count});
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
