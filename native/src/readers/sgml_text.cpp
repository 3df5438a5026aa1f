#include "postil/readers/sgml_text.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace postil::readers {
namespace {

constexpr char32_t replacement = 0xFFFD;

constexpr bool is_control(char32_t code) {
    return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
}

constexpr bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\n'; }

// Bytes that are copied unchanged.
constexpr auto plain = [] {
    std::array<bool, 256> table{};
    for (unsigned byte = 0; byte < 0x80; ++byte) table[byte] = !is_control(byte) && byte != '&';
    return table;
}();

bool is_plain(char byte) { return plain[static_cast<unsigned char>(byte)]; }

void append_utf8(char32_t code, std::string& text) {
    const auto tail = [&](unsigned shift) {
        text.push_back(static_cast<char>(0x80 | ((code >> shift) & 0x3F)));
    };
    if (code < 0x80) {
        text.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
        text.push_back(static_cast<char>(0xC0 | (code >> 6)));
        tail(0);
    } else if (code < 0x10000) {
        text.push_back(static_cast<char>(0xE0 | (code >> 12)));
        tail(6), tail(0);
    } else {
        text.push_back(static_cast<char>(0xF0 | (code >> 18)));
        tail(12), tail(6), tail(0);
    }
}

void append_character(char32_t code, std::string& text) {
    append_utf8(is_control(code) ? U' ' : code, text);
}

struct Reference {
    char32_t code = 0;
    std::size_t length = 0;  // including & and ;, or 0: not a reference
};

// The length of the longest reference, "&#x10FFFF;" or "&#1114111;". Looking no further keeps the
// time linear.
constexpr std::size_t longest_reference = 10;

Reference named_reference(std::string_view name) {
    constexpr std::pair<std::string_view, char32_t> names[] = {
        {"lt", U'<'}, {"gt", U'>'}, {"amp", U'&'}, {"quot", U'"'}, {"apos", U'\''}};
    for (const auto& [known, code] : names)
        if (name == known) return {code, name.size() + 2};
    return {};
}

Reference numeric_reference(std::string_view name) {
    const bool hexadecimal = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    const auto digits = name.substr(hexadecimal ? 2 : 1);
    std::uint32_t code = 0;
    const auto end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, code, hexadecimal ? 16 : 10);
    if (error != std::errc{} || stop != end || digits.empty()) return {};
    const bool exists = code != 0 && code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000);
    return {exists ? char32_t{code} : replacement, name.size() + 2};
}

// Returns the reference at the beginning of `rest`, which begins with &.
Reference reference_at(std::string_view rest) {
    const auto end = rest.substr(0, longest_reference).find(';');
    if (end == std::string_view::npos) return {};
    const auto name = rest.substr(1, end - 1);
    return name.starts_with('#') ? numeric_reference(name) : named_reference(name);
}

// Appends the special character at the beginning of `rest`; returns its length in bytes.
std::size_t append_special(std::string_view rest, std::string& text) {
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte == '&') {
        if (const auto reference = reference_at(rest); reference.length != 0) {
            append_character(reference.code, text);
            return reference.length;
        }
        text.push_back('&');
        return 1;
    }
    if (byte == '\r') {
        text.push_back('\n');
        return rest.size() > 1 && rest[1] == '\n' ? 2 : 1;
    }
    append_character(byte, text);
    return 1;
}

void trim_from(std::size_t begin, std::string& text) {
    while (text.size() > begin && is_blank(text.back())) text.pop_back();
    auto first = begin;
    while (first < text.size() && is_blank(text[first])) ++first;
    text.erase(begin, first - begin);
}

}  // namespace

void append_sgml_text(std::string_view raw, std::string& text) {
    const auto begin = text.size();
    if (begin == 0) text.reserve(raw.size());
    for (std::size_t at = 0; at < raw.size();) {
        auto end = at;
        while (end < raw.size() && is_plain(raw[end])) ++end;
        text.append(raw, at, end - at);
        at = end < raw.size() ? end + append_special(raw.substr(end), text) : end;
    }
    trim_from(begin, text);
}

}  // namespace postil::readers
