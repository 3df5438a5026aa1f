#include "postil/tokenizer/token_places.hpp"

#include "postil/tokenizer/tokenizer.hpp"

namespace postil {

PlacedTokens list_places(const TextView& text, const TokenizerOptions& options) {
    PlacedTokens placed;
    TokenizerScratch scratch;
    Places places;
    auto list = [&](const Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) placed.tokens.emplace_back(tokens[i]);
    };
    tokenize(text, options, scratch, list, places);
    placed.begins.reserve(placed.tokens.size());
    placed.ends.reserve(placed.tokens.size());
    for (const auto [begin, end] : places.listed()) {
        placed.begins.push_back(static_cast<std::int64_t>(begin));
        placed.ends.push_back(static_cast<std::int64_t>(end));
    }
    return placed;
}

}  // namespace postil
