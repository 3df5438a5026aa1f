// The tokens of one text with where each stands in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/texts.hpp"

namespace postil {

// What list_tokens gives, token by token, and the characters [begin, end) each comes of. Those of
// UTF-8 are counted as it reads: an invalid part is one character.
struct PlacedTokens {
    std::vector<std::string> tokens;
    std::vector<std::int64_t> begins, ends;
};

PlacedTokens list_places(const TextView& text, const TokenizerOptions& options);

}  // namespace postil
