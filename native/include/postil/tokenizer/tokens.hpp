// Batches of tokens, so that the consumer can overlap its waits for memory.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace postil {

struct Stretch {
    std::size_t offset;
    std::size_t length;
};

// Tokens as ranges of one buffer, each readable string_padding bytes past its end. Valid only
// during the call of the sink.
struct Tokens {
    const char* buffer;
    const Stretch* first;
    std::size_t count;

    std::size_t size() const { return count; }
    std::string_view operator[](std::size_t index) const {
        return {buffer + first[index].offset, first[index].length};
    }
};

inline constexpr std::size_t most_tokens_at_once = 2048;

// Collects tokens as ranges of a buffer that may still move. `flush` receives its final address.
template <class Sink>
class TokenBatch {
public:
    TokenBatch(std::vector<Stretch>& room, Sink& sink) : stretches_(room), sink_(sink) {
        stretches_.clear();
    }

    bool full() const { return stretches_.size() >= most_tokens_at_once; }
    void add(std::size_t offset, std::size_t length) { stretches_.push_back({offset, length}); }

    void flush(const char* buffer) {
        if (!stretches_.empty()) sink_(Tokens{buffer, stretches_.data(), stretches_.size()});
        stretches_.clear();
    }

private:
    std::vector<Stretch>& stretches_;
    Sink& sink_;
};

}  // namespace postil
