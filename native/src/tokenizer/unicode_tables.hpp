// Declarations of the generated tables (tools/generate_unicode.py). Each map has two stages:
// blocks[code >> 7] selects a block of 128, and run_of[block, code & 127] selects a run of the
// pool. Run 0 is the identity.
#pragma once

#include <cstdint>

namespace postil::unicode {

extern const std::uint16_t class_blocks[];
extern const std::uint8_t class_of[];

extern const std::uint16_t lower_blocks[], lower_run_of[], lower_run_ends[];
extern const char32_t lower_pool[];
extern const std::uint16_t casefold_blocks[], casefold_run_of[], casefold_run_ends[];
extern const char32_t casefold_pool[];
extern const std::uint16_t unaccent_blocks[], unaccent_run_of[], unaccent_run_ends[];
extern const char32_t unaccent_pool[];

}  // namespace postil::unicode
