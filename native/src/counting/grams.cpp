#include <utility>

#include "row_counter.hpp"

namespace postil {

namespace {

// The words of one field joined by single spaces, so that every n-gram is one run of bytes. Holds
// one window at a time, so memory does not grow with the field.
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

    std::size_t shortest_, longest_;
    std::vector<char> bytes_;
    std::vector<std::size_t> starts_, ends_;
    std::vector<Stretch> stretches_;
};

void gram_chunk(const TermTable& words, TermTable& grams, JoinedWords& joined,
                CountingScratch& scratch, Monitor& monitor, Chunk& chunk) {
    RowCounter counter(scratch, chunk);
    std::size_t at = 0;
    for (std::size_t i = 0; i < chunk.documents; ++i) {
        const auto row = static_cast<std::uint32_t>(chunk.first_document + i);
        Space space = 0;
        auto count = [&](const Tokens& found) {
            monitor.check();
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
    // Swap in new vectors: assigning {} would keep the memory.
    chunk.sequence = decltype(chunk.sequence)();
    chunk.sequence_ends = decltype(chunk.sequence_ends)();
}

}  // namespace

void form_grams(Batch& batch, std::uint32_t shortest, std::uint32_t longest, std::size_t workers,
                Monitor& monitor) {
    std::size_t length = 0;
    for (const auto& chunk : batch.chunks) length += chunk.sequence.size();
    PageSlabs slabs(length * sizeof(std::uint32_t));
    for_each_lane(batch, workers, monitor, [&](std::size_t lane, std::vector<Chunk*>& chunks) {
        auto& grams = batch.lanes[lane];
        const auto words = std::exchange(grams, TermTable(grams.shard_bits()));
        JoinedWords joined(shortest, longest);
        CountingScratch scratch{slabs, new_tally(batch, lane)};
        for (auto* chunk : chunks) gram_chunk(words, grams, joined, scratch, monitor, *chunk);
    });
    batch.in_sequence = false;
}

}  // namespace postil
