// postil._native: positions of tokens in a text, and columns of terms.
#pragma once

#include "postil/tokenizer/token_places.hpp"
#include "vectors.hpp"

namespace postil::bind {

inline nb::tuple token_places(nb::handle text, const TokenizerOptions& options) {
    const auto view = view_of(text);
    PlacedTokens placed;
    run_interruptible([&](Monitor&) { placed = list_places(view, options); });
    return nb::make_tuple(to_list(placed.tokens), to_array(std::move(placed.begins)),
                          to_array(std::move(placed.ends)));
}

// Returns the column number_of(key) of each term.
template <class Number>
Array<std::int64_t> columns_of(const Spaces& spaces, nb::sequence terms, Number&& number_of) {
    std::vector<std::int64_t> columns;
    std::string padded;
    for (nb::handle term : terms) {
        std::string_view text;
        require(nb::try_cast(term, text), "a term must be a str of valid text");
        require(!text.empty(), "a term must have at least one character");
        require(columns.size() < spaces.size(), "every term needs a space");
        const auto space = spaces[columns.size()];
        require(space <= max_space, "a space must be at most 255");
        padded.assign(text).append(string_padding, '\0');
        columns.push_back(number_of(WordKey(space, std::string_view(padded).substr(0, text.size()))));
    }
    return to_array(std::move(columns));
}

inline Array<std::int64_t> find_terms(const Vocabulary& vocabulary, const Spaces& spaces,
                                      nb::sequence terms) {
    return columns_of(spaces, terms, [&](const WordKey& key) -> std::int64_t {
        const auto rank = vocabulary.terms().find(key);
        return rank == WordTable::absent ? -1 : static_cast<std::int64_t>(rank);
    });
}

inline Array<std::int64_t> hash_terms(std::uint32_t buckets, const Spaces& spaces,
                                      nb::sequence terms) {
    require(buckets >= 1, "buckets must be at least 1");
    return columns_of(spaces, terms, [&](const WordKey& key) -> std::int64_t {
        return static_cast<std::int64_t>(bucket_of(key, buckets));
    });
}

inline void bind_places(nb::module_& module) {
    module.def("token_places", &token_places, "text"_a, "options"_a,
               nb::sig("def token_places(text: str | bytes, options: TokenizerOptions) -> "
                       "tuple[list[str], numpy.typing.NDArray[numpy.int64], "
                       "numpy.typing.NDArray[numpy.int64]]"),
               "Return the surface tokens of one text, in order, and the characters [begin, end) of "
               "each.");
    module.def("find_terms", &find_terms, "vocabulary"_a, "spaces"_a, "terms"_a,
               nb::sig("def find_terms(vocabulary: Vocabulary, spaces: collections.abc.Sequence[int], "
                       "terms: collections.abc.Sequence[str]) -> numpy.typing.NDArray[numpy.int64]"),
               "Return the column of each term, -1 if it is not in the vocabulary.");
    module.def("hash_terms", &hash_terms, "buckets"_a, "spaces"_a, "terms"_a,
               nb::sig("def hash_terms(buckets: int, spaces: collections.abc.Sequence[int], "
                       "terms: collections.abc.Sequence[str]) -> numpy.typing.NDArray[numpy.int64]"),
               "Return the hash bucket of each term.");
}

}  // namespace postil::bind
