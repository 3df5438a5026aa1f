// Reuters-21578, Distribution 1.0: from SGML bytes to documents.
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
    std::size_t line = 0;  // where its start tag stands, counted from 1

    // Attributes of the start tag; empty where the tag has none of that name.
    std::string newid, oldid, lewis_split, cgi_split, topics_flag;

    // TITLE, DATELINE and BODY of its TEXT. Text that stands loose in TEXT (all of an UNPROC
    // story, a table head in some others) is part of `body`, in its place; not so in a BRIEF
    // story, whose text is its TITLE and where only filler stands loose. AUTHOR is left out.
    std::string title, dateline, body;

    std::array<std::vector<std::string>, reuters_label_sets.size()> labels;
};

// A structural defect. The element it stands in is not among the documents, and has one problem,
// its first.
struct ReutersProblem {
    std::size_t offset = 0;  // in bytes
    std::size_t line = 0;    // counted from 1
    std::string message;
};

struct ReutersScan {
    std::vector<ReutersDocument> documents;
    std::vector<ReutersProblem> problems;  // by rising offset
};

// Reads every <REUTERS> element of `sgml` (Latin-1). Any bytes are valid input: what is not an
// element becomes a problem, never a crash. Time and memory are linear in the number of bytes.
// Without `loose_text` a body is what stands in BODY alone.
ReutersScan scan_reuters(std::string_view sgml, bool loose_text = true);

}  // namespace postil::readers
