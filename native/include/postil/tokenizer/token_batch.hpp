// Tokens on their way to whoever takes them, a few at a time, so that the taker can overlap its
// waits for memory.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace postil {

// Each readable string_padding past its end, and valid only while the taker runs.
using Tokens = std::span<const std::string_view>;

inline constexpr std::size_t most_tokens_at_once = 32;

// Tokens are noted as stretches of a buffer that may still move; where it is, is said in `flush`.
template <class Sink>
class TokenBatch {
public:
    explicit TokenBatch(Sink& sink) : sink_(sink) {}

    bool full() const { return count_ == most_tokens_at_once; }

    // Keeps the token only if `wanted`, without a branch.
    void add(std::size_t offset, std::size_t length, bool wanted = true) {
        offsets_[count_] = offset;
        lengths_[count_] = length;
        count_ += wanted;
    }

    void flush(const char* buffer) {
        std::array<std::string_view, most_tokens_at_once> tokens;
        for (std::size_t i = 0; i < count_; ++i) tokens[i] = {buffer + offsets_[i], lengths_[i]};
        if (count_ > 0) sink_(Tokens(tokens.data(), count_));
        count_ = 0;
    }

private:
    std::array<std::size_t, most_tokens_at_once> offsets_, lengths_;
    std::size_t count_ = 0;
    Sink& sink_;
};

}  // namespace postil
