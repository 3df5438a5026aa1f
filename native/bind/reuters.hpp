// postil._native.scan_reuters: the Reuters-21578 scanner, from bytes to tuples.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "postil/readers/reuters.hpp"

namespace postil::bind {

namespace reuters {

namespace nb = nanobind;

inline nb::str to_str(const std::string& utf8) { return nb::str(utf8.data(), utf8.size()); }

inline nb::tuple to_tuple(const std::vector<std::string>& labels) {
    nb::list items;
    for (const auto& label : labels) items.append(to_str(label));
    return nb::tuple(items);
}

inline nb::tuple to_tuple(const readers::ReutersDocument& document) {
    const auto& [topics, places, people, orgs, exchanges] = document.labels;
    return nb::make_tuple(
        document.line, to_str(document.newid), to_str(document.oldid),
        to_str(document.lewis_split), to_str(document.cgi_split), to_str(document.topics_flag),
        to_str(document.title), to_str(document.dateline), to_str(document.body),
        nb::make_tuple(to_tuple(topics), to_tuple(places), to_tuple(people), to_tuple(orgs),
                       to_tuple(exchanges)));
}

inline nb::tuple scan(nb::bytes sgml, bool loose_text) {
    const std::string_view view(sgml.c_str(), sgml.size());
    const auto scan = [&] {
        nb::gil_scoped_release unlocked;
        return readers::scan_reuters(view, loose_text);
    }();
    nb::list documents, problems;
    for (const auto& document : scan.documents) documents.append(to_tuple(document));
    for (const auto& problem : scan.problems)
        problems.append(nb::make_tuple(problem.offset, problem.line, to_str(problem.message)));
    return nb::make_tuple(documents, problems);
}

}  // namespace reuters

inline void bind_reuters(nanobind::module_& module) {
    module.def(
        "scan_reuters", &reuters::scan, nanobind::arg("sgml"), nanobind::arg("loose_text") = true,
        nanobind::sig(
            "def scan_reuters(sgml: bytes, loose_text: bool = True) -> tuple["
            "list[tuple[int, str, str, str, str, str, str, str, str, "
            "tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...], "
            "tuple[str, ...]]]], list[tuple[int, int, str]]]"),
        "Read the <REUTERS> elements of Latin-1 SGML.\n\n"
        "Returns documents, each (line, newid, oldid, lewis_split, cgi_split, topics_flag, title, "
        "dateline, body, labels), labels being the tuples TOPICS, PLACES, PEOPLE, ORGS, "
        "EXCHANGES; and problems, each (byte offset, line, message). With loose_text, text "
        "directly in TEXT (except of briefs) is part of the body.");
}

}  // namespace postil::bind
