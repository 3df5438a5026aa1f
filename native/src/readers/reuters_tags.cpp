#include "reuters_tags.hpp"

#include <algorithm>
#include <iterator>

#include "postil/readers/sgml_text.hpp"

namespace postil::readers {
namespace {

constexpr auto npos = std::string_view::npos;

constexpr std::string_view spellings[] = {
    "TOPICS", "PLACES", "PEOPLE", "ORGS", "EXCHANGES", "TEXT",    "TITLE",     "DATELINE",
    "BODY",   "AUTHOR", "D",      "DATE", "MKNOTE",    "UNKNOWN", "COMPANIES", "REUTERS"};

bool is_space(char byte) { return static_cast<unsigned char>(byte) <= ' '; }

}  // namespace

std::string_view spelling(Name name) { return spellings[static_cast<std::size_t>(name)]; }

std::optional<Tag> tag_at(std::string_view sgml, std::size_t begin) {
    const bool closing = begin + 1 < sgml.size() && sgml[begin + 1] == '/';
    const auto name_begin = begin + 1 + closing;
    auto name_end = name_begin;
    while (name_end < sgml.size() && sgml[name_end] >= 'A' && sgml[name_end] <= 'Z') ++name_end;
    const auto written = sgml.substr(std::min(name_begin, sgml.size()), name_end - name_begin);
    const auto known = std::find(std::begin(spellings), std::end(spellings), written);
    if (known == std::end(spellings)) return {};
    const auto end = sgml.find_first_of("<>", name_end);
    if (end == npos || sgml[end] == '<') return {};
    const auto attributes = sgml.substr(name_end, end - name_end);
    if (!attributes.empty() && !is_space(attributes.front())) return {};
    return Tag{static_cast<Name>(known - std::begin(spellings)), closing, begin, end + 1,
               attributes};
}

std::string attribute(std::string_view attributes, std::string_view wanted) {
    for (std::size_t at = 0; at < attributes.size();) {
        const auto equals = attributes.find('=', at);
        if (equals == npos) break;
        auto name = attributes.substr(at, equals - at);
        while (!name.empty() && is_space(name.front())) name.remove_prefix(1);
        while (!name.empty() && is_space(name.back())) name.remove_suffix(1);
        auto value = equals + 1;
        while (value < attributes.size() && is_space(attributes[value])) ++value;
        if (value == attributes.size()) break;
        const char quote = attributes[value];
        const bool quoted = quote == '"' || quote == '\'';
        const auto end = quoted ? attributes.find(quote, value + 1)
                                : std::min(attributes.find_first_of(" \t\r\n", value),
                                           attributes.size());
        if (end == npos) break;
        if (name == wanted) {
            value += quoted;
            return sgml_text(attributes.substr(value, end - value));
        }
        at = end + quoted;
    }
    return {};
}

std::size_t stray_text(std::string_view gap) {
    for (std::size_t at = 0; at < gap.size();) {
        const auto rest = gap.substr(at);
        if (is_space(rest.front())) {
            ++at;
            continue;
        }
        const bool comment = rest.starts_with("<!--");
        constexpr std::string_view passed[] = {"<!", "<?", "<LEWIS>", "</LEWIS>"};
        if (std::ranges::none_of(passed, [&](auto head) { return rest.starts_with(head); }))
            return at;
        const auto end = rest.find(comment ? "-->" : ">");
        if (end == npos) return at;
        at += end + (comment ? 3 : 1);
    }
    return npos;
}

}  // namespace postil::readers
