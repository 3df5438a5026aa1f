// Reads Reuters-21578, Distribution 1.0, from SGML bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace postil::readers {

// The five sets of categories, in the order the collection writes them.
inline constexpr std::array<std::string_view, 5> reuters_label_sets = {
    "TOPICS", "PLACES", "PEOPLE", "ORGS", "EXCHANGES"};

// One <REUTERS> element. All strings are UTF-8, cleaned as sgml_text.hpp says.
struct ReutersDocument {
    std::size_t line = 0;  // line of its start tag, counted from 1

    // Attributes of the start tag; empty if absent.
    std::string newid, oldid, lewis_split, cgi_split, topics_flag;

    // TITLE, DATELINE and BODY of TEXT. Text directly in TEXT (all of an UNPROC story, a table
    // heading in some others) is part of `body`, in its place, except in a BRIEF story: its text is
    // the TITLE, and only filler is directly in TEXT. AUTHOR is omitted.
    std::string title, dateline, body;

    std::array<std::vector<std::string>, reuters_label_sets.size()> labels;
};

// A structural defect. The element that contains it is not returned as a document; only its first
// defect is reported.
struct ReutersProblem {
    std::size_t offset = 0;  // in bytes
    std::size_t line = 0;    // counted from 1
    std::string message;
};

struct ReutersScan {
    std::vector<ReutersDocument> documents;
    std::vector<ReutersProblem> problems;  // by rising offset
};

// Reads every <REUTERS> element of `sgml` (Latin-1). Any bytes are valid input: defects become
// problems. Time and memory are linear in the number of bytes. Without `loose_text` the body is the
// content of BODY only.
ReutersScan scan_reuters(std::string_view sgml, bool loose_text = true);

}  // namespace postil::readers
