// Readers of code points, one for each encoding. Copy a reader, which is cheap, to look ahead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "postil/tokenizer/unicode.hpp"

namespace postil {

inline char32_t valid_or_replaced(char32_t code) {
    return code - 0xD800u < 0x800u || code > 0x10FFFFu ? unicode::replacement : code;
}

template <class Unit>
struct UnitReader {
    const Unit* at;
    const Unit* end;

    bool done() const { return at == end; }
    char32_t next() { return valid_or_replaced(*at++); }
};

// Each maximal invalid sequence reads as one U+FFFD, as with Python's errors="replace".
struct Utf8Reader {
    const std::uint8_t* at;
    const std::uint8_t* end;

    bool done() const { return at == end; }

    char32_t next() {
        const auto lead = *at++;
        if (lead < 0x80) return lead;
        if (lead < 0xC2 || lead > 0xF4) return unicode::replacement;
        const int following = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        char32_t code = lead & (0x3F >> following);
        for (int i = 0; i < following; ++i) {
            if (at == end || !continues(lead, i, *at)) return unicode::replacement;
            code = (code << 6) | (*at++ & 0x3F);
        }
        return code;
    }

private:
    // The range of the second byte excludes overlong forms, surrogates and values past U+10FFFF.
    static bool continues(std::uint8_t lead, int index, std::uint8_t byte) {
        std::uint8_t low = 0x80, high = 0xBF;
        if (index == 0) {
            if (lead == 0xE0) low = 0xA0;
            if (lead == 0xED) high = 0x9F;
            if (lead == 0xF0) low = 0x90;
            if (lead == 0xF4) high = 0x8F;
        }
        return byte >= low && byte <= high;
    }
};

}  // namespace postil
