// Converts the character data of old SGML files (Latin-1, entities, control characters) to UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace postil::readers {

// Appends `raw` to `text`, trimmed of spaces, tabs and line ends.
//
// Each byte is a Latin-1 character. &lt; &gt; &amp; &quot; &apos; and the numeric references &#N;
// and &#xN; become the character they name (U+FFFD if there is none); any other & stays. CR LF and
// CR become LF. Control characters, literal or as a reference, become spaces, except tab and line
// feed: in newswire they stand for lost characters and separators, and a space never joins two
// words.
//
// Time and memory are linear in `raw`.
void append_sgml_text(std::string_view raw, std::string& text);

inline std::string sgml_text(std::string_view raw) {
    std::string text;
    append_sgml_text(raw, text);
    return text;
}

}  // namespace postil::readers
