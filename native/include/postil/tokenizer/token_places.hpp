// The tokens of one text and their positions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/texts.hpp"

namespace postil {

// The tokens of list_tokens, and the source characters [begin, end) of each. An invalid UTF-8
// sequence counts as one character.
struct PlacedTokens {
    std::vector<std::string> tokens;
    std::vector<std::int64_t> begins, ends;
};

PlacedTokens list_places(const TextView& text, const TokenizerOptions& options);

}  // namespace postil
