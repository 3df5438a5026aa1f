// The tokenizer with every option and encoding: any bytes are valid input, and a text gives the
// same tokens in every encoding.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../ledger.hpp"
#include "../random.hpp"
#include "encodings.hpp"
#include "postil/counting/counting.hpp"
#include "postil/tokenizer/token_places.hpp"
#include "postil/tokenizer/tokenizer.hpp"

namespace postil::tests {

inline constexpr std::array token_kinds = {
    TokenKind::words,     TokenKind::whole_runs, TokenKind::python_words,
    TokenKind::letters,   TokenKind::compounds,  TokenKind::whitespace,
    TokenKind::trec,      TokenKind::chars,      TokenKind::chars_in_words};
inline constexpr std::array letter_cases = {LetterCase::keep, LetterCase::lower,
                                            LetterCase::casefold};

// Tokens one after the other.
struct TokenList {
    std::string bytes;
    std::vector<std::size_t> ends;

    bool operator==(const TokenList&) const = default;

    template <class Work>
    void for_each(Work&& work) const {
        std::size_t begin = 0;
        for (const auto end : ends) {
            work(std::string_view(bytes).substr(begin, end - begin));
            begin = end;
        }
    }
};

inline TokenList tokens_of(const TextView& text, const TokenizerOptions& options,
                           TokenizerScratch& scratch) {
    TokenList tokens;
    tokenize(text, options, scratch, [&](const Tokens& found) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto token = found[i];
            tokens.ends.push_back(tokens.bytes.append(token).size());
            // Read the padding of the token, so that a sanitizer checks it.
            for (std::size_t byte = 0; byte < string_padding; ++byte) {
                [[maybe_unused]] volatile char padding = *(token.data() + token.size() + byte);
            }
        }
    });
    return tokens;
}

inline TokenList tokens_of(const TextView& text, const TokenizerOptions& options) {
    TokenizerScratch scratch;
    return tokens_of(text, options, scratch);
}

inline TokenizerOptions random_options(Random& random) {
    TokenizerOptions options;
    options.kind = random.pick(token_kinds);
    options.letter_case = random.pick(letter_cases);
    options.fold_accents = random.one_in(3);
    options.min_length = static_cast<std::uint32_t>(random.one_in(3) ? random.between(2, 4) : 1);
    options.gram_min = static_cast<std::uint32_t>(random.between(1, 5));
    options.gram_max = options.gram_min + static_cast<std::uint32_t>(random.below(3));
    return options;
}

inline std::string describe(const TokenizerOptions& options) {
    return "kind " + std::to_string(static_cast<int>(options.kind)) + ", case " +
           std::to_string(static_cast<int>(options.letter_case)) + ", fold_accents " +
           std::to_string(options.fold_accents) + ", min_length " +
           std::to_string(options.min_length) + ", grams " + std::to_string(options.gram_min) +
           " to " + std::to_string(options.gram_max);
}

class TokenizerChecks {
public:
    TokenizerChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run(const std::string& bytes) {
        const auto characters = decode_utf8(bytes).codes;
        for (const auto kind : token_kinds)
            for (const auto letter_case : letter_cases)
                for (const bool fold_accents : {false, true}) {
                    auto options = random_options(random_);
                    options.kind = kind;
                    options.letter_case = letter_case;
                    options.fold_accents = fold_accents;
                    check_options(bytes, characters, options);
                }
    }

private:
    void check_options(const std::string& bytes, const Codes& characters,
                       const TokenizerOptions& options) {
        try {
            const auto tokens = check_encodings(characters, options);
            const ExactText raw(bytes, Encoding::utf8);
            ledger_.check(tokens_of(raw.view(), options, scratch_) == tokens,
                          "UTF-8 with invalid parts gives the tokens of its replacement");
            check_tokens(tokens, options);
            check_places(raw, tokens, characters, options);
            check_counts(raw, tokens.ends.size(), options);
            if (options.kind == TokenKind::whitespace) check_nothing_lost(characters, options);
            if (options.kind == TokenKind::words) check_pairs(raw, characters.size(), options);
            check_raw_units(bytes, options);
        } catch (const Failure& failure) {
            throw Failure(std::string(failure.what()) + " (" + describe(options) + ")");
        }
    }

    // The widest encoding takes the general path with fresh buffers, the others reuse buffers; the
    // narrowest take the ASCII path.
    TokenList check_encodings(const Codes& characters, const TokenizerOptions& options) {
        const auto widest = encode(characters, Encoding::ucs4);
        auto tokens = tokens_of(widest.view(), options);
        for (const auto encoding : encodings_of(characters)) {
            const auto text = encode(characters, encoding);
            ledger_.check(tokens_of(text.view(), options, scratch_) == tokens,
                          "a text has the same tokens in every encoding");
        }
        return tokens;
    }

    void check_tokens(const TokenList& tokens, const TokenizerOptions& options) {
        ledger_.check(decode_utf8(tokens.bytes).valid, "tokens are UTF-8");
        auto leads = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
        tokens.for_each([&](std::string_view token) {
            ledger_.check(!token.empty() && leads(token[0]), "a token holds whole characters");
            check_length(static_cast<std::size_t>(std::ranges::count_if(token, leads)), options);
        });
    }

    void check_length(std::size_t length, const TokenizerOptions& options) {
        if (!makes_char_grams(options.kind))
            ledger_.check(length >= options.min_length, "a token has at least the minimum length");
        else if (options.kind == TokenKind::chars)
            ledger_.check(length >= options.gram_min && length <= options.gram_max,
                          "a character n-gram has one of the given sizes");
        else
            ledger_.check(length <= options.gram_max && length >= std::min(options.gram_min, 3u),
                          "a word's n-gram has one of the given sizes, or is the whole word");
    }

    // Every token covers characters of the text, the same ones in any encoding; in a text without
    // normalisation each character is in its token.
    void check_places(const ExactText& raw, const TokenList& tokens, const Codes& characters,
                      const TokenizerOptions& options) {
        const auto placed = list_places(raw.view(), options);
        const auto widest = encode(characters, Encoding::ucs4);
        const auto again = list_places(widest.view(), options);
        ledger_.check(placed.begins == again.begins && placed.ends == again.ends,
                      "tokens have the same places in every encoding");
        ledger_.check(placed.tokens.size() == tokens.ends.size() &&
                          placed.begins.size() == tokens.ends.size(),
                      "every token has a place");
        const bool as_is = options.letter_case == LetterCase::keep && !options.fold_accents &&
                           cuts_runs(options.kind);
        std::size_t at = 0;
        tokens.for_each([&](std::string_view token) {
            const auto begin = placed.begins[at], end = placed.ends[at];
            const bool within = 0 <= begin && begin <= end &&
                                end <= static_cast<std::int64_t>(characters.size());
            ledger_.check(within && placed.tokens[at] == token, "a place is within the text");
            if (as_is)
                ledger_.check(encode_utf8({characters.begin() + begin, characters.begin() + end}) ==
                                  token,
                              "a token is what stands at its place");
            ++at;
        });
    }

    void check_counts(const ExactText& text, std::size_t expected,
                      const TokenizerOptions& options) {
        const std::vector<TextView> texts(3, text.view());
        for (const std::size_t workers : {1, 3}) {
            if (workers > 1 && !random_.one_in(50)) continue;  // threads are expensive
            Monitor monitor;
            ledger_.check(count_tokens(texts, options, workers, monitor) ==
                              std::vector<std::size_t>(3, expected),
                          "count_tokens counts what tokenize gives");
        }
    }

    // Concatenated white-space tokens are the text without its white space.
    void check_nothing_lost(const Codes& characters, TokenizerOptions options) {
        options.letter_case = LetterCase::keep;
        options.fold_accents = false;
        options.min_length = 1;
        Codes dark;
        for (const auto code : characters)
            if ((unicode::class_bits(code) & unicode::space) == 0) dark.push_back(code);
        const auto text = encode(characters, Encoding::utf8);
        ledger_.check(tokens_of(text.view(), options).bytes == encode_utf8(dark),
                      "white-space tokens lose no character");
    }

    // Pairs of characters stand in reading order and cover what whole runs cover.
    void check_pairs(const ExactText& text, std::size_t characters, TokenizerOptions options) {
        options.min_length = 1;
        const auto pairs = list_places(text.view(), options);
        options.kind = TokenKind::whole_runs;
        ledger_.check(covered(pairs, characters) ==
                          covered(list_places(text.view(), options), characters),
                      "pairs cover what whole runs cover");
        ledger_.check(std::ranges::is_sorted(pairs.begins) && std::ranges::is_sorted(pairs.ends),
                      "pairs stand in reading order");
    }

    static std::vector<bool> covered(const PlacedTokens& tokens, std::size_t characters) {
        std::vector<bool> found(characters);
        for (std::size_t i = 0; i < tokens.tokens.size(); ++i)
            for (auto at = tokens.begins[i]; at < tokens.ends[i]; ++at)
                found[static_cast<std::size_t>(at)] = true;
        return found;
    }

    // The same bytes as units of every width: surrogates and numbers that are not characters.
    void check_raw_units(const std::string& bytes, const TokenizerOptions& options) {
        for (const std::size_t width : {1, 2, 4}) {
            Codes units;
            const auto mask = width == 4 && random_.one_in(2) ? 0x1FFFFFu : 0xFFFFFFFFu;
            for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
                char32_t unit = 0;
                for (auto i = width; i-- > 0;)
                    unit = unit << 8 | static_cast<std::uint8_t>(bytes[at + i]);
                units.push_back(unit & mask);
            }
            const auto encoding = width == 1   ? Encoding::latin1
                                  : width == 2 ? Encoding::ucs2
                                               : Encoding::ucs4;
            const ExactText raw(units, encoding);
            const auto clean = encode(characters_of(units), Encoding::utf8);
            ledger_.check(tokens_of(raw.view(), options, scratch_) ==
                              tokens_of(clean.view(), options, scratch_),
                          "units that are not characters read as U+FFFD");
        }
    }

    Ledger& ledger_;
    Random& random_;
    TokenizerScratch scratch_;
};

}  // namespace postil::tests
