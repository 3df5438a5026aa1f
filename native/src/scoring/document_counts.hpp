// The term counts of one document.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "postil/counting/occurrences.hpp"

namespace postil {

// A small hash table of the numbers in a document, reused from document to document: it stays in
// the nearest cache and grows with the longest document, not with the number of terms. A slot is
// free unless it has the stamp of the current document, so the table is never cleared.
class DocumentCounts {
public:
    DocumentCounts() { resize(10); }

    void begin_document() {
        used_ = 0;
        if (++stamp_ != 0) return;
        std::fill(slots_.begin(), slots_.end(), Slot{});
        stamp_ = 1;
    }

    // Reserves room for `additions` additions.
    void reserve(std::size_t additions) {
        while ((used_ + additions) * 2 > slots_.size()) grow();
    }

    void add(std::uint32_t number) {
        for (auto place = home_of(number);; place = (place + 1) & mask_) {
            auto& slot = slots_[place];
            if (slot.stamp == stamp_ && slot.number != number) continue;
            const bool fresh = slot.stamp != stamp_;
            order_[used_] = place;
            used_ += fresh;
            slot = {stamp_, number, fresh ? 1 : slot.count + 1};
            return;
        }
    }

    std::size_t size() const { return used_; }

    // Returns occurrences in the order they were added.
    Occurrence operator[](std::size_t at) const {
        const auto& slot = slots_[order_[at]];
        return {slot.number, slot.count};
    }

    std::size_t bytes() const { return slots_.size() * (sizeof(Slot) + sizeof(std::uint32_t)); }

private:
    struct Slot {
        std::uint32_t stamp = 0;
        std::uint32_t number = 0;
        std::uint32_t count = 0;
    };

    std::uint32_t home_of(std::uint32_t number) const {
        return (number * 0x9E3779B1u) >> (32 - bits_);
    }

    void resize(unsigned bits) {
        bits_ = bits;
        mask_ = (std::uint32_t{1} << bits) - 1;
        slots_.assign(std::size_t{1} << bits, Slot{});
        order_.resize(slots_.size() / 2 + 1);  // one spare entry, written but not used
    }

    void grow() {
        std::vector<Occurrence> held;
        for (std::size_t at = 0; at < used_; ++at) held.push_back((*this)[at]);
        resize(bits_ + 1);
        for (std::size_t at = 0; at < held.size(); ++at) {
            auto place = home_of(held[at].term);
            while (slots_[place].stamp == stamp_) place = (place + 1) & mask_;
            slots_[place] = {stamp_, held[at].term, held[at].count};
            order_[at] = place;
        }
    }

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> order_;  // positions of slots
    std::size_t used_ = 0;
    unsigned bits_ = 0;
    std::uint32_t mask_ = 0;
    std::uint32_t stamp_ = 1;
};

}  // namespace postil
