// Counted terms in little more than four bytes each, or in eight if term numbers exceed 2^24.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "postil/system/pages.hpp"

namespace postil {

struct Occurrence {
    std::uint32_t term;
    std::uint32_t count;
};

// A fixed list of occurrences. A term takes three bytes and nearly every count one; the few larger
// counts are stored separately and found by bisection. A list with a larger term number is stored
// unpacked.
class Occurrences {
public:
    Occurrences() = default;
    Occurrences(const Occurrence* first, std::size_t size, PageSlabs& slabs);

    std::size_t size() const { return size_; }

    Occurrence operator[](std::size_t at) const {
        if (packed_ == nullptr) return whole_[at];
        const auto packed = packed_[at];
        const auto count = packed & largest_count;
        return {packed >> count_bits, count != listed_apart ? count : large_count(at)};
    }

private:
    static constexpr unsigned count_bits = 8;
    static constexpr std::uint32_t largest_count = 0xFF, largest_term = 0xFFFFFF;
    static constexpr std::uint32_t listed_apart = 0;

    struct LargeCount {
        std::size_t at;
        std::uint32_t count;
    };

    void pack(const Occurrence* first, std::uint32_t* packed);
    std::uint32_t large_count(std::size_t at) const;

    std::shared_ptr<std::uint32_t[]> packed_;  // null: the list is stored unpacked
    std::shared_ptr<Occurrence[]> whole_;
    std::vector<LargeCount> large_;  // by rising position
    std::size_t size_ = 0;
};

}  // namespace postil
