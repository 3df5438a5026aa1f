// The tags of the Reuters-21578 DTD, and how they are found in the bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace postil::readers {

// The five label sets come first, in order.
enum class Name {
    topics, places, people, orgs, exchanges,  // hold D
    text,                                     // contains TITLE, AUTHOR, DATELINE, BODY and text
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
    std::size_t begin = 0, end = 0;  // from < to after >
    std::string_view attributes;
};

// Returns the tag at `begin`, where there is a <, or nothing if it is not a tag of the DTD. A tag
// contains no <: this bounds the search for its > and keeps the scan linear.
std::optional<Tag> tag_at(std::string_view sgml, std::size_t begin);

// Returns the cleaned value of one attribute; empty if it is absent or its quote is not closed.
std::string attribute(std::string_view attributes, std::string_view wanted);

// Returns the position, between two elements, of text that is neither white space nor a declaration
// (<!DOCTYPE …>, <?…>) nor a comment nor the tag of the root; npos if there is none.
std::size_t stray_text(std::string_view gap);

}  // namespace postil::readers
