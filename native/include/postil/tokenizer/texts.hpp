// Views of texts in their owner's memory. Nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace postil {

enum class Encoding : std::uint8_t {
    utf8,    // invalid sequences read as U+FFFD
    ascii,   // every byte under 128
    latin1,  // one byte a code point
    ucs2,    // two bytes a code point; surrogates read as U+FFFD
    ucs4,    // four bytes a code point; surrogates and values past U+10FFFF read as U+FFFD
};

struct TextView {
    const void* data;
    std::size_t length;  // in code units
    Encoding encoding;
};

inline std::size_t byte_length(const TextView& text) {
    if (text.encoding == Encoding::ucs2) return text.length * 2;
    if (text.encoding == Encoding::ucs4) return text.length * 4;
    return text.length;
}

// The texts of a batch, a column for each field: columns[field][document].
using Columns = std::vector<std::vector<TextView>>;

}  // namespace postil
