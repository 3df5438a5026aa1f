// The Reuters-21578 scanner: any bytes are valid input, and the output is clean.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "../ledger.hpp"
#include "encodings.hpp"
#include "postil/readers/reuters.hpp"
#include "postil/readers/sgml_text.hpp"

namespace postil::tests {

class ReutersChecks {
public:
    explicit ReutersChecks(Ledger& ledger) : ledger_(ledger) {}

    void run(const std::string& bytes) {
        const std::unique_ptr<char[]> exact(new char[bytes.size()]);
        std::copy(bytes.begin(), bytes.end(), exact.get());
        const std::string_view sgml(exact.get(), bytes.size());

        check_text(readers::sgml_text(sgml));
        for (const bool loose_text : {false, true}) {
            const auto scan = readers::scan_reuters(sgml, loose_text);
            check_documents(sgml, scan);
            check_problems(sgml, scan);
        }
        check_wrapped(bytes);
    }

private:
    void check_documents(std::string_view sgml, const readers::ReutersScan& scan) {
        std::size_t line = 1;
        for (const auto& document : scan.documents) {
            ledger_.check(document.line >= line, "documents stand in the order of their lines");
            line = document.line;
            ledger_.check(!document.newid.empty(), "a document has a NEWID");
            for (const auto* text : {&document.newid, &document.oldid, &document.lewis_split,
                                     &document.cgi_split, &document.topics_flag, &document.title,
                                     &document.dateline, &document.body})
                check_text(*text);
            for (const auto& labels : document.labels)
                for (const auto& label : labels) {
                    ledger_.check(!label.empty(), "a label is not empty");
                    check_text(label);
                }
        }
        ledger_.check(line <= lines_before(sgml, sgml.size()), "a line is one of the file's");
    }

    void check_problems(std::string_view sgml, const readers::ReutersScan& scan) {
        std::size_t offset = 0;
        for (const auto& problem : scan.problems) {
            ledger_.check(problem.offset >= offset && problem.offset < sgml.size(),
                          "problems stand in the order of their offsets, within the file");
            offset = problem.offset;
            ledger_.check(problem.line == lines_before(sgml, offset),
                          "a problem's line is that of its offset");
            ledger_.check(!problem.message.empty(), "a problem says what it is");
        }
    }

    // Bytes without a tag are the text of a story, whatever they are.
    void check_wrapped(std::string bytes) {
        std::replace(bytes.begin(), bytes.end(), '<', '(');
        const auto sgml = "<REUTERS NEWID=\"1\"><TEXT><BODY>" + bytes + "</BODY></TEXT></REUTERS>";
        const auto scan = readers::scan_reuters(sgml);
        ledger_.check(scan.problems.empty() && scan.documents.size() == 1,
                      "a well-formed story is a document without a problem");
        ledger_.check(scan.documents[0].body == readers::sgml_text(bytes),
                      "a story's body is its cleaned text");
    }

    void check_text(const std::string& text) {
        const auto decoded = decode_utf8(text);
        ledger_.check(decoded.valid, "a text is UTF-8");
        ledger_.check(std::none_of(decoded.codes.begin(), decoded.codes.end(), is_control),
                      "a text holds no control character but tab and line feed");
        constexpr std::string_view blank = " \t\n";
        ledger_.check(text.empty() || (blank.find(text.front()) == blank.npos &&
                                       blank.find(text.back()) == blank.npos),
                      "a text is trimmed");
    }

    static bool is_control(char32_t code) {
        return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
    }

    static std::size_t lines_before(std::string_view sgml, std::size_t offset) {
        return 1 + static_cast<std::size_t>(
                       std::count(sgml.begin(), sgml.begin() + static_cast<std::ptrdiff_t>(offset),
                                  '\n'));
    }

    Ledger& ledger_;
};

}  // namespace postil::tests
