#include "postil/readers/reuters.hpp"

#include <algorithm>
#include <utility>

#include "postil/readers/sgml_text.hpp"
#include "reuters_tags.hpp"

namespace postil::readers {
namespace {

constexpr auto npos = std::string_view::npos;

std::string fault_of(std::string_view opening, Name name, std::string_view fault) {
    return std::string(opening).append(spelling(name)).append("> ").append(fault);
}

void append_piece(std::string_view raw, std::string& text) {
    const auto before = text.size();
    if (before != 0) text.push_back('\n');
    const auto begin = text.size();
    append_sgml_text(raw, text);
    if (text.size() == begin) text.resize(before);
}

// Walks from tag to tag. At any time the scanner is between two elements or in a document; in a
// document, it is in no container or in one (a label set or TEXT); there, in no leaf or in one.
// While a leaf is open, every tag but its own end tag and <REUTERS> is text.
class Scanner {
public:
    Scanner(std::string_view sgml, bool loose_text) : sgml_(sgml), loose_text_(loose_text) {}

    ReutersScan run() {
        for (auto at = sgml_.find('<'); at != npos; at = sgml_.find('<', at)) {
            const auto tag = tag_at(sgml_, at);
            if (tag) handle(*tag);
            at = tag ? tag->end : at + 1;
        }
        if (in_document_)
            report(document_begin_, "<REUTERS> is never closed");
        else
            report_stray(sgml_.size());
        number_problem_lines();
        return std::move(scan_);
    }

private:
    void handle(const Tag& tag) {
        if (tag.name == Name::reuters)
            tag.closing ? close_document(tag) : open_document(tag);
        else if (in_document_ && !broken_)
            leaf_ != Name::none ? handle_in_leaf(tag) : handle_in_container(tag);
    }

    void open_document(const Tag& tag) {
        if (in_document_)
            report(document_begin_, "<REUTERS> is not closed before the next begins");
        else
            report_stray(tag.begin);
        in_document_ = true;
        broken_ = has_text_ = false;
        container_ = leaf_ = Name::none;
        document_begin_ = tag.begin;
        document_ = {};
        document_.line = line_at(tag.begin);
        document_.newid = attribute(tag.attributes, "NEWID");
        document_.oldid = attribute(tag.attributes, "OLDID");
        document_.lewis_split = attribute(tag.attributes, "LEWISSPLIT");
        document_.cgi_split = attribute(tag.attributes, "CGISPLIT");
        document_.topics_flag = attribute(tag.attributes, "TOPICS");
        if (document_.newid.empty()) report(tag.begin, "<REUTERS> has no NEWID");
    }

    void close_document(const Tag& tag) {
        if (!in_document_) {
            if (!report_stray(tag.begin)) add_problem(tag.begin, "</REUTERS> closes nothing");
        } else if (leaf_ != Name::none) {
            report(leaf_begin_, fault_of("<", leaf_, "is never closed"));
        } else if (container_ != Name::none) {
            report(container_begin_, fault_of("<", container_, "is never closed"));
        } else if (!has_text_) {
            report(document_begin_, "<REUTERS> has no <TEXT>");
        }
        if (in_document_ && !broken_) scan_.documents.push_back(std::move(document_));
        in_document_ = false;
        gap_begin_ = tag.end;
    }

    void handle_in_leaf(const Tag& tag) {
        if (!tag.closing || tag.name != leaf_) return;
        const auto content = sgml_.substr(content_begin_, tag.begin - content_begin_);
        if (leaf_ == Name::d)
            add_label(content, tag);
        else if (leaf_ == Name::title)
            append_piece(content, document_.title);
        else if (leaf_ == Name::dateline)
            append_piece(content, document_.dateline);
        else if (leaf_ == Name::body)
            append_piece(content, document_.body);
        leaf_ = Name::none;
        content_begin_ = tag.end;
    }

    void handle_in_container(const Tag& tag) {
        if (tag.closing)
            tag.name == container_ ? close_container(tag) : report_tag(tag, "closes nothing");
        else if (container_ == Name::none && (is_label_set(tag.name) || tag.name == Name::text))
            open_container(tag);
        else if (may_open_leaf(tag.name))
            open_leaf(tag);
        else
            report_tag(tag, "stands in the wrong place");
    }

    bool may_open_leaf(Name name) const {
        if (container_ == Name::none) return is_ignored(name);
        return container_ == Name::text ? is_story_part(name) : name == Name::d;
    }

    void open_container(const Tag& tag) {
        container_ = tag.name;
        container_begin_ = tag.begin;
        content_begin_ = tag.end;
        if (tag.name != Name::text) return;
        has_text_ = true;
        reads_loose_text_ = loose_text_ && attribute(tag.attributes, "TYPE") != "BRIEF";
    }

    void close_container(const Tag& tag) {
        add_loose_text(tag.begin);
        container_ = Name::none;
    }

    void open_leaf(const Tag& tag) {
        add_loose_text(tag.begin);
        leaf_ = tag.name;
        leaf_begin_ = tag.begin;
        content_begin_ = tag.end;
    }

    void add_loose_text(std::size_t end) {
        if (container_ == Name::text && reads_loose_text_)
            append_piece(sgml_.substr(content_begin_, end - content_begin_), document_.body);
    }

    void add_label(std::string_view content, const Tag& tag) {
        auto label = sgml_text(content);
        if (label.empty()) return report(tag.begin, "<D> is empty");
        document_.labels[static_cast<std::size_t>(container_)].push_back(std::move(label));
    }

    void report_tag(const Tag& tag, std::string_view fault) {
        report(tag.begin, fault_of(tag.closing ? "</" : "<", tag.name, fault));
    }

    // Records a defect of the current document. Only the first is kept, and the document is not
    // returned.
    void report(std::size_t offset, std::string message) {
        if (!broken_) add_problem(offset, std::move(message));
        broken_ = true;
    }

    bool report_stray(std::size_t gap_end) {
        const auto stray = stray_text(sgml_.substr(gap_begin_, gap_end - gap_begin_));
        if (stray == npos) return false;
        add_problem(gap_begin_ + stray,
                    "text outside any <REUTERS> element: a start tag is missing or damaged");
        return true;
    }

    void add_problem(std::size_t offset, std::string message) {
        scan_.problems.push_back({offset, 0, std::move(message)});
    }

    // Returns the line of an offset. Offsets must not decrease from call to call, so that every
    // byte is counted once.
    std::size_t line_at(std::size_t offset) {
        const auto passed = sgml_.substr(counted_, offset - counted_);
        line_ += static_cast<std::size_t>(std::ranges::count(passed, '\n'));
        counted_ = offset;
        return line_;
    }

    void number_problem_lines() {
        std::stable_sort(scan_.problems.begin(), scan_.problems.end(),
                         [](const auto& a, const auto& b) { return a.offset < b.offset; });
        line_ = 1;
        counted_ = 0;
        for (auto& problem : scan_.problems) problem.line = line_at(problem.offset);
    }

    std::string_view sgml_;
    bool loose_text_;
    ReutersScan scan_;
    std::size_t line_ = 1, counted_ = 0;

    std::size_t gap_begin_ = 0;  // after the last element

    bool in_document_ = false, broken_ = false, has_text_ = false, reads_loose_text_ = false;
    std::size_t document_begin_ = 0, container_begin_ = 0, leaf_begin_ = 0;
    std::size_t content_begin_ = 0;  // of the leaf, or of text directly in the container
    Name container_ = Name::none, leaf_ = Name::none;
    ReutersDocument document_;
};

}  // namespace

ReutersScan scan_reuters(std::string_view sgml, bool loose_text) {
    return Scanner(sgml, loose_text).run();
}

}  // namespace postil::readers
