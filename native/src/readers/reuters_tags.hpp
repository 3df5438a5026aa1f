// The tags of Reuters-21578's DTD, and how they are found in the bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace postil::readers {

// The five label sets come first, in their order.
enum class Name {
    topics, places, people, orgs, exchanges,  // hold D
    text,                                     // holds TITLE, AUTHOR, DATELINE, BODY, loose text
    title, dateline, body, author,            // only in TEXT
    d,                                        // only in a label set
    date, mknote, unknown, companies,         // not read
    reuters,
    none,
};

std::string_view spelling(Name name);

inline bool is_label_set(Name name) { return name <= Name::exchanges; }
inline bool is_story_part(Name name) { return name >= Name::title && name <= Name::author; }
inline bool is_ignored(Name name) { return name >= Name::date && name <= Name::companies; }

struct Tag {
    Name name = Name::none;
    bool closing = false;
    std::size_t begin = 0, end = 0;  // from < to behind >
    std::string_view attributes;
};

// The tag that stands at `begin`, where there is a <; none where this is no tag of the DTD.
// A tag has no < inside: this bounds the search for its >, and keeps the whole scan linear.
std::optional<Tag> tag_at(std::string_view sgml, std::size_t begin);

// The value of one attribute, cleaned; empty where it is absent or its quote is not closed.
std::string attribute(std::string_view attributes, std::string_view wanted);

// Where, between two elements, something stands that is neither white space nor a declaration
// (<!DOCTYPE …>, <?…>) nor a comment nor the root's tag; npos where there is nothing of the kind.
std::size_t stray_text(std::string_view gap);

}  // namespace postil::readers
