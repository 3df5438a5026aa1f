// Packed occurrences return what was stored, of any size; blocks of a slab do not overlap.
#pragma once

#include <vector>

#include "../ledger.hpp"
#include "../random.hpp"
#include "postil/counting/occurrences.hpp"

namespace postil::tests {

class OccurrenceChecks {
public:
    OccurrenceChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run() {
        PageSlabs slabs(random_.one_in(2) ? 0 : std::size_t{3} << 20);
        std::vector<std::vector<Occurrence>> expected;
        std::vector<Occurrences> packed;
        for (auto lists = random_.between(1, 6); lists > 0; --lists) {
            expected.push_back(some_occurrences());
            packed.emplace_back(expected.back().data(), expected.back().size(), slabs);
        }
        for (std::size_t list = 0; list < packed.size(); ++list) check(packed[list], expected[list]);
    }

private:
    // Returns few, or so many that they need a slab, and rarely a second one.
    std::vector<Occurrence> some_occurrences() {
        const auto most = random_.one_in(20) ? std::size_t{1} << 18 : random_.one_in(2) ? 5000u : 9u;
        const std::vector<std::uint32_t> terms{0, 77, 0xFFFFFE, 0xFFFFFF, 0x1000000, 0xFFFFFFFE};
        const std::vector<std::uint32_t> counts{1, 2, 254, 255, 256, 0xFFFFFFFF};
        const auto term_choices = random_.one_in(3) ? terms.size() : terms.size() - 2;
        std::vector<Occurrence> occurrences(random_.below(most + 1));
        for (auto& [term, count] : occurrences) {
            term = terms[random_.below(term_choices)];
            count = random_.pick(counts);
        }
        return occurrences;
    }

    void check(const Occurrences& packed, const std::vector<Occurrence>& expected) {
        ledger_.check(packed.size() == expected.size(), "no occurrence is lost");
        bool same = true;
        for (std::size_t at = 0; at < expected.size(); ++at)
            same = same && packed[at].term == expected[at].term &&
                   packed[at].count == expected[at].count;
        ledger_.check(same, "a packed occurrence is what was put in");
    }

    Ledger& ledger_;
    Random& random_;
};

}  // namespace postil::tests
