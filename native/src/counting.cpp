#include "postil/counting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <utility>

#include "postil/tokenizer/tokenizer.hpp"

namespace postil {

namespace {

constexpr std::size_t chunk_bytes = 1 << 18;

// Twice as many shards as workers or more keep all of them busy; further ones only scatter words.
unsigned shard_bits_for(std::size_t workers) {
    return workers > 1 ? static_cast<unsigned>(std::bit_width(workers)) : 0;
}

// Where a word stands in the newest row that holds it.
struct Mark {
    std::uint32_t row = WordTable::absent;
    std::uint32_t position = 0;
};

// What a worker keeps from chunk to chunk to count rows with.
struct CountingScratch {
    std::vector<Mark> marks;         // by word number
    std::vector<Occurrence> entries;  // of the chunk at hand
};

// Adds occurrences to the row at hand. The marks say where a word already stands, so that no row
// is ever searched or sorted to be counted. Whether a word is new to its row is a coin toss no
// processor can predict, hence the arithmetic in place of a branch.
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
        const auto first = scratch_.entries.begin();
        chunk_.entries.assign(first, first + used_);
    }

private:
    void reserve(std::size_t count, std::size_t number_end) {
        auto& [marks, entries] = scratch_;
        if (used_ + count > entries.size())
            entries.resize(std::max(used_ + count, entries.size() * 2));
        if (number_end > marks.size()) marks.resize(std::max(number_end, marks.size() * 2));
    }

    // Returns 1 if the word is new to its row, else 0.
    static std::uint32_t add_one(Mark& mark, Occurrence* entries, std::uint32_t word,
                                 std::uint32_t count, std::uint32_t row, std::uint32_t used) {
        const auto fresh = static_cast<std::uint32_t>(mark.row != row);
        const auto known = fresh - 1;  // all ones if the row has the word already
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

// Enters tokens and calls sink(numbers) for a few at a time: their keys are made together and
// their table slots fetched together, so that one wait covers many.
template <class Sink>
void intern_tokens(TermTable& words, Space space, const Tokens& tokens, Sink&& sink) {
    constexpr std::size_t few = 32;
    std::array<WordKey, few> keys;
    std::array<std::uint32_t, few> numbers;
    for (std::size_t from = 0; from < tokens.size(); from += few) {
        const auto count = std::min(few, tokens.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            // Made in place: copying it would stall on its own stores.
            std::construct_at(&keys[i], space, tokens[from + i]);
            words.prefetch(keys[i]);
        }
        for (std::size_t i = 0; i < count; ++i) numbers[i] = words.intern(keys[i]);
        sink(std::span<const std::uint32_t>(numbers.data(), count));
    }
}

void count_tokens(TermTable& words, Space space, const Tokens& tokens, std::uint32_t row,
                  RowCounter& counter) {
    intern_tokens(words, space, tokens, [&](auto numbers) { counter.add(numbers, row); });
}

std::vector<Chunk> cut_into_chunks(const Columns& columns, std::size_t documents) {
    std::vector<Chunk> chunks;
    std::size_t bytes = chunk_bytes;
    for (std::size_t document = 0; document < documents; ++document) {
        if (bytes >= chunk_bytes) {
            chunks.emplace_back().first_document = document;
            bytes = 0;
        }
        ++chunks.back().documents;
        for (const auto& column : columns) bytes += byte_length(column[document]) + 1;
    }
    return chunks;
}

// The chunks of each lane, so that a stage can take a lane as one task.
template <class Work>
void for_each_lane(Batch& batch, std::size_t workers, Monitor& monitor, Work&& work) {
    run_tasks(batch.lanes.size(), workers, monitor, [&](std::size_t lane, std::size_t) {
        std::vector<Chunk*> chunks;
        for (auto& chunk : batch.chunks)
            if (chunk.lane == lane) chunks.push_back(&chunk);
        work(lane, chunks);
    });
}

// What a worker needs besides its lane.
struct Workbench {
    TokenizerScratch tokenizer;
    CountingScratch counting;
};

void count_chunk(const Columns& columns, const Spaces& spaces, const TokenizerOptions& options,
                 TermTable& words, Workbench& bench, const Monitor& monitor, Chunk& chunk) {
    RowCounter counter(bench.counting, chunk);
    chunk.row_ends.reserve(chunk.documents);
    for (std::size_t i = 0; i < chunk.documents; ++i) {
        const auto document = chunk.first_document + i;
        const auto row = static_cast<std::uint32_t>(document);
        for (std::size_t field = 0; field < columns.size(); ++field)
            tokenize(columns[field][document], options, bench.tokenizer, [&](const Tokens& tokens) {
                if (monitor.stop) throw Interrupted();  // one document may be very long
                count_tokens(words, spaces[field], tokens, row, counter);
            });
        counter.end_row();
    }
    counter.end_chunk();
}

void list_chunk(const Columns& columns, const Spaces& spaces, const TokenizerOptions& options,
                TermTable& words, Workbench& bench, const Monitor& monitor, Chunk& chunk) {
    for (std::size_t i = 0; i < chunk.documents; ++i) {
        for (std::size_t field = 0; field < columns.size(); ++field) {
            tokenize(columns[field][chunk.first_document + i], options, bench.tokenizer,
                     [&](const Tokens& tokens) {
                         if (monitor.stop) throw Interrupted();
                         intern_tokens(words, spaces[field], tokens, [&](auto numbers) {
                             chunk.sequence.insert(chunk.sequence.end(), numbers.begin(),
                                                   numbers.end());
                         });
                     });
            chunk.sequence.push_back(field_end);
        }
        chunk.sequence_ends.push_back(chunk.sequence.size());
    }
}

// The words of one field, joined by single spaces, so that every n-gram is one run of bytes. Held
// a window at a time: memory does not grow with the field.
class JoinedWords {
public:
    JoinedWords(std::size_t shortest, std::size_t longest) : shortest_(shortest), longest_(longest) {}

    template <class Sink>
    void append(std::string_view word, Sink&& sink) {
        if (starts_.size() == window) emit(window - longest_ + 1, sink);
        if (!starts_.empty()) bytes_.push_back(' ');
        starts_.push_back(bytes_.size());
        bytes_.insert(bytes_.end(), word.begin(), word.end());
        ends_.push_back(bytes_.size());
    }

    template <class Sink>
    void finish(Sink&& sink) {
        emit(starts_.size(), sink);
    }

private:
    static constexpr std::size_t window = 1 << 16;

    // Emits the n-grams that begin at the first so many words and lets those words go.
    template <class Sink>
    void emit(std::size_t count, Sink&& sink) {
        const auto used = bytes_.size();
        bytes_.resize(used + string_padding);
        TokenBatch batch(stretches_, sink);
        for (auto size = shortest_; size <= longest_; ++size) {
            for (std::size_t at = 0; at < count && at + size <= starts_.size(); ++at) {
                batch.add(starts_[at], ends_[at + size - 1] - starts_[at]);
                if (batch.full()) batch.flush(bytes_.data());
            }
        }
        batch.flush(bytes_.data());
        bytes_.resize(used);
        drop_first(count);
    }

    void drop_first(std::size_t count) {
        const auto dropped = count < starts_.size() ? starts_[count] : bytes_.size();
        const auto places = static_cast<std::ptrdiff_t>(count);
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(dropped));
        starts_.erase(starts_.begin(), starts_.begin() + places);
        ends_.erase(ends_.begin(), ends_.begin() + places);
        for (auto& start : starts_) start -= dropped;
        for (auto& end : ends_) end -= dropped;
    }

    std::size_t shortest_, longest_;
    std::vector<char> bytes_;
    std::vector<std::size_t> starts_, ends_;
    std::vector<Stretch> stretches_;
};

void rename_rows(Chunk& chunk, const std::vector<std::uint32_t>& renamed,
                 CountingScratch& scratch) {
    const auto old_entries = std::exchange(chunk.entries, {});
    const auto old_ends = std::exchange(chunk.row_ends, {});
    RowCounter counter(scratch, chunk);
    std::size_t at = 0;
    for (std::size_t i = 0; i < chunk.documents; ++i) {
        const auto row = static_cast<std::uint32_t>(chunk.first_document + i);
        for (; at < old_ends[i]; ++at) {
            const auto word = renamed[old_entries[at].term];
            if (word != WordTable::absent) counter.add(word, old_entries[at].count, row);
        }
        counter.end_row();
    }
    counter.end_chunk();
}

void rename_sequence(Chunk& chunk, const std::vector<std::uint32_t>& renamed) {
    std::size_t at = 0, kept = 0;
    for (auto& end : chunk.sequence_ends) {
        for (; at < end; ++at) {
            const auto word = chunk.sequence[at];
            const auto name = word == field_end ? field_end : renamed[word];
            if (word == field_end || name != WordTable::absent) chunk.sequence[kept++] = name;
        }
        end = kept;
    }
    chunk.sequence.resize(kept);
}

void gram_chunk(const TermTable& words, TermTable& grams, JoinedWords& joined,
                CountingScratch& scratch, const Monitor& monitor, Chunk& chunk) {
    RowCounter counter(scratch, chunk);
    std::size_t at = 0;
    for (std::size_t i = 0; i < chunk.documents; ++i) {
        const auto row = static_cast<std::uint32_t>(chunk.first_document + i);
        Space space = 0;
        auto count = [&](const Tokens& found) {
            if (monitor.stop) throw Interrupted();
            count_tokens(grams, space, found, row, counter);
        };
        for (; at < chunk.sequence_ends[i]; ++at) {
            const auto word = chunk.sequence[at];
            if (word == field_end) {
                joined.finish(count);
                continue;
            }
            space = words.space(word);
            joined.append(words.text(word), count);
        }
        counter.end_row();
    }
    counter.end_chunk();
    chunk.sequence = {};
    chunk.sequence_ends = {};
}

}  // namespace

Batch count_texts(const Columns& columns, const Spaces& spaces, const TokenizerOptions& options,
                  bool in_sequence, std::size_t workers, Monitor& monitor) {
    Batch batch;
    batch.documents = columns.empty() ? 0 : columns[0].size();
    batch.in_sequence = in_sequence;
    batch.chunks = cut_into_chunks(columns, batch.documents);
    const auto lanes = std::clamp<std::size_t>(batch.chunks.size(), 1, workers);
    batch.lanes.assign(lanes, TermTable(shard_bits_for(workers)));

    std::vector<Workbench> benches(lanes);
    const auto process = in_sequence ? list_chunk : count_chunk;
    run_tasks(batch.chunks.size(), batch.lanes.size(), monitor,
              [&](std::size_t task, std::size_t lane) {
                  // Worked on apart, so that workers never write to one cache line.
                  auto chunk = std::move(batch.chunks[task]);
                  chunk.lane = lane;
                  process(columns, spaces, options, batch.lanes[lane], benches[lane], monitor,
                          chunk);
                  batch.chunks[task] = std::move(chunk);
              });
    return batch;
}

std::vector<std::string> list_tokens(const TextView& text, const TokenizerOptions& options) {
    std::vector<std::string> listed;
    TokenizerScratch scratch;
    tokenize(text, options, scratch, [&](const Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) listed.emplace_back(tokens[i]);
    });
    return listed;
}

std::vector<std::size_t> count_tokens(const std::vector<TextView>& texts,
                                      const TokenizerOptions& options, std::size_t workers,
                                      Monitor& monitor) {
    std::vector<std::size_t> counts(texts.size());
    std::vector<TokenizerScratch> scratch(workers);
    run_tasks(texts.size(), workers, monitor, [&](std::size_t text, std::size_t worker) {
        tokenize(texts[text], options, scratch[worker],
                 [&](const Tokens& tokens) { counts[text] += tokens.size(); });
    });
    return counts;
}

DistinctWords distinct_words(const Batch& batch) {
    DistinctWords distinct;
    WordTable seen;
    for (const auto& lane : batch.lanes) {
        auto& index = distinct.index_of.emplace_back(lane.number_end());
        lane.for_each([&](std::uint32_t word) {
            index[word] = seen.intern(WordKey(0, lane.text(word)));
            if (index[word] == distinct.words.size()) distinct.words.emplace_back(lane.text(word));
        });
    }
    return distinct;
}

void rename_words(Batch& batch, const DistinctWords& distinct,
                  const std::vector<std::optional<std::string>>& names, std::size_t workers,
                  Monitor& monitor) {
    for_each_lane(batch, workers, monitor, [&](std::size_t lane, std::vector<Chunk*>& chunks) {
        auto& words = batch.lanes[lane];
        const auto old_words = std::exchange(words, TermTable(words.shard_bits()));
        std::vector<std::uint32_t> renamed(old_words.number_end(), WordTable::absent);
        std::string padded;
        old_words.for_each([&](std::uint32_t word) {
            const auto& name = names[distinct.index_of[lane][word]];
            if (!name || name->empty()) return;
            padded.assign(*name).append(string_padding, '\0');
            const auto view = std::string_view(padded).substr(0, name->size());
            renamed[word] = words.intern(WordKey(old_words.space(word), view));
        });
        CountingScratch scratch;
        for (auto* chunk : chunks) {
            if (monitor.stop) return;
            if (batch.in_sequence) rename_sequence(*chunk, renamed);
            else rename_rows(*chunk, renamed, scratch);
        }
    });
}

void form_grams(Batch& batch, std::uint32_t shortest, std::uint32_t longest, std::size_t workers,
                Monitor& monitor) {
    for_each_lane(batch, workers, monitor, [&](std::size_t lane, std::vector<Chunk*>& chunks) {
        auto& grams = batch.lanes[lane];
        const auto words = std::exchange(grams, TermTable(grams.shard_bits()));
        JoinedWords joined(shortest, longest);
        CountingScratch scratch;
        for (auto* chunk : chunks) gram_chunk(words, grams, joined, scratch, monitor, *chunk);
    });
    batch.in_sequence = false;
}

}  // namespace postil
