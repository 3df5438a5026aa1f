// Counting shared by the stages of a batch: words into a table, occurrences into rows.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "interning.hpp"
#include "postil/counting/counting.hpp"
#include "postil/tokenizer/tokens.hpp"

namespace postil {

// The position of a word in the latest row that contains it.
struct Mark {
    std::uint32_t row = WordTable::absent;
    std::uint32_t position = 0;
};

// Buffers that a worker reuses from chunk to chunk.
struct CountingScratch {
    PageSlabs& slabs;                      // where the rows of finished chunks are kept
    Tally* tally;                          // of all chunks; null if not requested
    std::vector<Mark> marks = {};          // by word number
    std::vector<Occurrence> entries = {};  // of the current chunk
};

// Returns the cleared tally of the lane, or null if the batch has none.
inline Tally* new_tally(Batch& batch, std::size_t lane) {
    if (!batch.tallies) return nullptr;
    auto& tally = (*batch.tallies)[lane];
    tally.clear();
    return &tally;
}

// Adds occurrences to the current row. Marks record where a word already is, so that no row is
// searched or sorted for counting. Whether a word is new to its row is unpredictable for the
// processor, hence arithmetic instead of a branch.
class RowCounter {
public:
    RowCounter(CountingScratch& scratch, Chunk& chunk) : scratch_(scratch), chunk_(chunk) {}

    void add(std::span<const std::uint32_t> words, std::uint32_t row) {
        reserve(words.size(), *std::max_element(words.begin(), words.end()) + std::size_t{1});
        auto* const marks = scratch_.marks.data();
        auto* const entries = scratch_.entries.data();
        auto used = used_;  // a local, so that it stays in a register
        for (const auto word : words) used += add_one(marks[word], entries, word, 1, row, used);
        used_ = used;
    }

    void add(std::uint32_t word, std::uint32_t count, std::uint32_t row) {
        reserve(1, word + std::size_t{1});
        used_ += add_one(scratch_.marks[word], scratch_.entries.data(), word, count, row, used_);
    }

    void end_row() { chunk_.row_ends.push_back(used_); }

    void end_chunk() {
        chunk_.entries = Occurrences(scratch_.entries.data(), used_, scratch_.slabs);
        if (scratch_.tally != nullptr) add_to(*scratch_.tally);
    }

private:
    void add_to(Tally& tally) const {
        if (tally.size() < scratch_.marks.size()) tally.resize(scratch_.marks.size());
        for (std::size_t at = 0; at < used_; ++at) {
            const auto [word, count] = scratch_.entries[at];
            ++tally[word].documents;
            tally[word].occurrences += count;
        }
    }

    void reserve(std::size_t count, std::size_t number_end) {
        auto& marks = scratch_.marks;
        auto& entries = scratch_.entries;
        if (used_ + count > entries.size())
            entries.resize(std::max(used_ + count, entries.size() * 2));
        if (number_end > marks.size()) marks.resize(std::max(number_end, marks.size() * 2));
    }

    // Returns 1 if the word is new to its row, else 0.
    static std::uint32_t add_one(Mark& mark, Occurrence* entries, std::uint32_t word,
                                 std::uint32_t count, std::uint32_t row, std::uint32_t used) {
        const auto fresh = static_cast<std::uint32_t>(mark.row != row);
        const auto known = fresh - 1;  // all ones if the row already has the word
        const auto position = (mark.position & known) | (used & ~known);
        auto& entry = entries[position];
        entry = {word, (entry.count & known) + count};
        mark = {row, position};
        return fresh;
    }

    CountingScratch& scratch_;
    Chunk& chunk_;
    std::uint32_t used_ = 0;
};

// Adds tokens and calls sink(numbers) for a few at a time.
template <class Sink>
void intern_tokens(TermTable& words, Space space, const Tokens& tokens, Sink&& sink) {
    // Keys are constructed in place: copying one would stall on its own stores.
    intern_many(
        words, tokens.size(),
        [&](WordKey* key, std::size_t i) { std::construct_at(key, space, tokens[i]); },
        [&](std::size_t, std::span<const std::uint32_t> numbers) { sink(numbers); });
}

inline void count_tokens(TermTable& words, Space space, const Tokens& tokens, std::uint32_t row,
                  RowCounter& counter) {
    intern_tokens(words, space, tokens, [&](auto numbers) { counter.add(numbers, row); });
}

// Calls work for the chunks of each lane, so that a stage can process a lane as one task.
template <class Work>
void for_each_lane(Batch& batch, std::size_t workers, Monitor& monitor, Work&& work) {
    run_tasks(batch.lanes.size(), workers, monitor, [&](std::size_t lane, std::size_t) {
        std::vector<Chunk*> chunks;
        for (auto& chunk : batch.chunks)
            if (chunk.lane == lane) chunks.push_back(&chunk);
        work(lane, chunks);
    });
}

}  // namespace postil
