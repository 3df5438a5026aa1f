#include <utility>
#include <vector>

#include "row_counter.hpp"

namespace postil {

namespace {

// The words of one field joined by single spaces, so that every n-gram is one run of bytes. Holds
// one window at a time, so memory does not grow with the field.
class JoinedWords {
public:
    void begin(const Reading& reading) {
        shortest_ = reading.shortest_gram;
        longest_ = reading.longest_gram;
    }

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

    // Emits the n-grams that begin at the first `count` words and removes these words.
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

    std::size_t shortest_ = 1, longest_ = 1;
    std::vector<char> bytes_;
    std::vector<std::size_t> starts_, ends_;
    std::vector<Stretch> stretches_;
};

// Counts the n-grams of a lane in a new table, and takes along the terms that are counted already.
class GramCounter {
public:
    GramCounter(const Batch& batch, const TermTable& words, TermTable& grams,
                CountingScratch& scratch, Monitor& monitor)
        : words_(words),
          grams_(grams),
          scratch_(scratch),
          monitor_(monitor),
          number_of_(words.number_end(), WordTable::absent) {
        for (const auto& reading : batch.readings)
            if (reading.forms_grams()) readings_.push_back(&reading);
    }

    void count(Chunk& chunk) {
        // Exchanged with new vectors: assigning {} would keep the memory.
        const auto counted = std::exchange(chunk.entries, Occurrences());
        const auto counted_ends = std::exchange(chunk.row_ends, {});
        const auto sequence = std::exchange(chunk.sequence, {});
        RowCounter counter(scratch_, chunk);
        std::size_t entry = 0, word = 0;
        for (std::size_t i = 0; i < chunk.documents; ++i) {
            const auto row = static_cast<std::uint32_t>(chunk.first_document + i);
            for (; entry < counted_ends[i]; ++entry) {
                const auto [old_number, count] = counted[entry];
                counter.add(taken_along(old_number), count, row);
            }
            for (const auto* reading : readings_)
                word = count_field(sequence, word, *reading, row, counter);
            counter.end_row();
        }
        counter.end_chunk();
    }

private:
    std::uint32_t taken_along(std::uint32_t word) {
        auto& number = number_of_[word];
        if (number == WordTable::absent) number = grams_.intern(words_.key(word));
        return number;
    }

    // Returns the place after the end of the field.
    std::size_t count_field(const std::vector<std::uint32_t>& sequence, std::size_t at,
                            const Reading& reading, std::uint32_t row, RowCounter& counter) {
        auto count = [&](const Tokens& found) {
            monitor_.check();
            count_tokens(grams_, reading.space, found, row, counter);
        };
        joined_.begin(reading);
        for (; sequence[at] != field_end; ++at) joined_.append(words_.text(sequence[at]), count);
        joined_.finish(count);
        return at + 1;
    }

    const TermTable& words_;
    TermTable& grams_;
    CountingScratch& scratch_;
    Monitor& monitor_;
    std::vector<const Reading*> readings_;   // those that form n-grams
    std::vector<std::uint32_t> number_of_;   // of words that are taken along
    JoinedWords joined_;
};

}  // namespace

void form_grams(Batch& batch, std::size_t workers, Monitor& monitor) {
    std::size_t length = 0;
    for (const auto& chunk : batch.chunks) length += chunk.sequence.size() + chunk.entries.size();
    PageSlabs slabs(length * sizeof(std::uint32_t));
    for_each_lane(batch, workers, monitor, [&](std::size_t lane, std::vector<Chunk*>& chunks) {
        auto& grams = batch.lanes[lane];
        const auto words = std::exchange(grams, TermTable(grams.shard_bits()));
        CountingScratch scratch{slabs, new_tally(batch, lane)};
        GramCounter counter(batch, words, grams, scratch, monitor);
        for (auto* chunk : chunks) counter.count(*chunk);
    });
    batch.in_sequence = false;
}

}  // namespace postil
