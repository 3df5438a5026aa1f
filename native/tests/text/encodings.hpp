// A plain decoder and encoder of UTF-8, and texts in buffers of exactly their size, so that the
// address sanitizer detects reads past either end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postil/tokenizer/texts.hpp"

namespace postil::tests {

using Codes = std::vector<char32_t>;

inline constexpr char32_t unreadable = 0xFFFD;

// The rows of well-formed UTF-8 (Unicode, table 3-7): lead bytes, then the range of each of the
// bytes that follow.
struct Utf8Row {
    std::uint8_t first_lead, last_lead;
    std::vector<std::pair<std::uint8_t, std::uint8_t>> following;
};

inline const std::vector<Utf8Row>& utf8_rows() {
    static const std::vector<Utf8Row> rows = {
        {0x00, 0x7F, {}},
        {0xC2, 0xDF, {{0x80, 0xBF}}},
        {0xE0, 0xE0, {{0xA0, 0xBF}, {0x80, 0xBF}}},
        {0xE1, 0xEC, {{0x80, 0xBF}, {0x80, 0xBF}}},
        {0xED, 0xED, {{0x80, 0x9F}, {0x80, 0xBF}}},
        {0xEE, 0xEF, {{0x80, 0xBF}, {0x80, 0xBF}}},
        {0xF0, 0xF0, {{0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}},
        {0xF1, 0xF3, {{0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}},
        {0xF4, 0xF4, {{0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}}},
    };
    return rows;
}

struct Decoded {
    Codes codes;
    bool valid = true;
};

// Each maximal part that begins a sequence but does not complete one reads as one U+FFFD.
inline Decoded decode_utf8(std::string_view bytes) {
    Decoded decoded;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto lead = static_cast<std::uint8_t>(bytes[at++]);
        const auto row = std::find_if(utf8_rows().begin(), utf8_rows().end(), [&](const auto& r) {
            return lead >= r.first_lead && lead <= r.last_lead;
        });
        bool whole = row != utf8_rows().end();
        char32_t code = lead;
        if (whole && !row->following.empty()) code = lead & (0x3Fu >> row->following.size());
        for (std::size_t i = 0; whole && i < row->following.size(); ++i) {
            const auto byte = at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : 0;
            whole = byte >= row->following[i].first && byte <= row->following[i].second;
            if (!whole) break;
            code = code << 6 | (byte & 0x3F);
            ++at;
        }
        decoded.codes.push_back(whole ? code : unreadable);
        decoded.valid = decoded.valid && whole;
    }
    return decoded;
}

inline std::string encode_utf8(const Codes& codes) {
    std::string bytes;
    for (const auto code : codes) {
        const int following = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        const char32_t mark[] = {0, 0xC0, 0xE0, 0xF0};
        bytes.push_back(static_cast<char>(mark[following] | code >> (6 * following)));
        for (int i = following; i-- > 0;)
            bytes.push_back(static_cast<char>(0x80 | (code >> (6 * i) & 0x3F)));
    }
    return bytes;
}

// Code points that are not characters read as U+FFFD.
inline Codes characters_of(Codes codes) {
    for (auto& code : codes)
        if ((code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) code = unreadable;
    return codes;
}

// A text in a buffer of exactly its size.
class ExactText {
public:
    template <class Units>
    ExactText(const Units& units, Encoding encoding) : encoding_(encoding) {
        if (encoding == Encoding::ucs2) hold<std::uint16_t>(units);
        else if (encoding == Encoding::ucs4) hold<std::uint32_t>(units);
        else hold<std::uint8_t>(units);
    }

    TextView view() const { return {bytes_.get(), length_, encoding_}; }

private:
    template <class Unit, class Units>
    void hold(const Units& units) {
        length_ = units.size();
        bytes_ = std::shared_ptr<void>(new Unit[length_], [](void* held) {
            delete[] static_cast<Unit*>(held);
        });
        std::transform(units.begin(), units.end(), static_cast<Unit*>(bytes_.get()),
                       [](auto unit) { return static_cast<Unit>(unit); });
    }

    std::shared_ptr<void> bytes_;
    std::size_t length_ = 0;
    Encoding encoding_;
};

// The encodings that can hold these characters, the widest first.
inline std::vector<Encoding> encodings_of(const Codes& codes) {
    const auto largest = codes.empty() ? 0 : *std::max_element(codes.begin(), codes.end());
    std::vector<Encoding> able = {Encoding::ucs4, Encoding::utf8};
    if (largest < 0x10000) able.push_back(Encoding::ucs2);
    if (largest < 0x100) able.push_back(Encoding::latin1);
    if (largest < 0x80) able.push_back(Encoding::ascii);
    return able;
}

inline ExactText encode(const Codes& codes, Encoding encoding) {
    if (encoding == Encoding::utf8) return {encode_utf8(codes), encoding};
    return {codes, encoding};
}

}  // namespace postil::tests
