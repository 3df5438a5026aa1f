// Counted terms in a little over five bytes each.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "postil/pages.hpp"

namespace postil {

struct Occurrence {
    std::uint32_t term;
    std::uint32_t count;
};

// A fixed list of occurrences. Nearly every count fits into a byte; the few that do not are kept
// apart, found by bisection.
class Occurrences {
public:
    Occurrences() = default;
    Occurrences(const Occurrence* first, std::size_t size, PageSlabs& slabs);

    std::size_t size() const { return size_; }

    Occurrence operator[](std::size_t at) const {
        const std::uint32_t count = small_counts()[at];
        return {block_[at], count != listed_apart ? count : large_count(at)};
    }

private:
    static constexpr std::uint32_t listed_apart = 0;

    struct LargeCount {
        std::size_t at;
        std::uint32_t count;
    };

    const unsigned char* small_counts() const {
        return reinterpret_cast<const unsigned char*>(block_.get() + size_);
    }
    std::uint32_t large_count(std::size_t at) const;

    std::shared_ptr<std::uint32_t[]> block_;  // terms, then small counts
    std::vector<LargeCount> large_;           // by rising place
    std::size_t size_ = 0;
};

}  // namespace postil
