#include "postil/tokenizer/unicode.hpp"

#include "unicode_tables.hpp"

namespace postil::unicode {

namespace {

constexpr char32_t last_code = 0x10FFFF;

Mapped look_up(char32_t code, const std::uint16_t* blocks, const std::uint16_t* run_of,
               const std::uint16_t* run_ends, const char32_t* pool) {
    if (code > last_code) return {false, {}};
    const auto run = run_of[std::size_t{blocks[code >> 7]} * 128 + (code & 127)];
    if (run == 0) return {false, {}};
    return {true, Image(pool + run_ends[run], pool + run_ends[run + 1])};
}

}  // namespace

std::uint8_t class_bits(char32_t code) {
    if (code > last_code) return 0;
    return class_of[std::size_t{class_blocks[code >> 7]} * 128 + (code & 127)];
}

Mapped lower(char32_t code) {
    return look_up(code, lower_blocks, lower_run_of, lower_run_ends, lower_pool);
}

Mapped casefold(char32_t code) {
    return look_up(code, casefold_blocks, casefold_run_of, casefold_run_ends, casefold_pool);
}

Mapped unaccent(char32_t code) {
    return look_up(code, unaccent_blocks, unaccent_run_of, unaccent_run_ends, unaccent_pool);
}

}  // namespace postil::unicode
