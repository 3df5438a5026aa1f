// Handwritten seeds of the fuzz run: scripts, broken UTF-8, SGML, long runs and block ends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postil::tests {

using namespace std::string_view_literals;

// Bytes that decoders and scanners branch on.
inline constexpr char interesting_bytes[] = {
    '\x00', '\x01', '\x09', '\x0A', '\x0D', '\x1C', ' ',    '"',    '#',    '&',    '\'',
    '-',    '/',    '0',    ';',    '<',    '=',    '>',    'A',    'Z',    '_',    'a',
    '\x7F', '\x80', '\x85', '\x8F', '\x90', '\x9F', '\xA0', '\xBF', '\xC0', '\xC2', '\xDF',
    '\xE0', '\xED', '\xEF', '\xF0', '\xF4', '\xF5', '\xFE', '\xFF'};

// Short strings with special treatment somewhere: sigmas, dotted i, marks, joiners, Hangul, odd
// spaces, ligatures, characters beyond the first plane, halves of sequences, tags and references.
inline const std::vector<std::string>& pieces() {
    static const std::vector<std::string> all = {
        "ΑΣ", "Σ", "σς", "İ", "ǰ", "ŉ", "ß", "ẞ", "ﬃ", "ǅ", "é", "e\u0301", "\u0345", "\u0301",
        "कि", "नमस्ते", "東京", "〇", "ーｱﾞ", "น้ำ", "ក្ខ", "္", "က",
        "\u200d", "\u200c", "\u00ad", "한글", "각", "ᄀ", "五", "٣", "½", "Ⅷ", "①", "𝔸",
        "𐐀", "👩🏽", "\u0085", "\u00a0", "\u2028", "\u3000", "\u200b", "’", "‐", "–", "‿", "™",
        "\xEF\xBB\xBF", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xED\xA0\x80", "\xC0\xAF",
        "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "o'clock", "rock-'n'-roll", "--", "''", " ",
        "\r\n", "1990", "snake_case", "<REUTERS>", "</REUTERS>", "<REUTERS NEWID=\"7\">",
        "<TEXT>", "</TEXT>", "<TEXT TYPE=\"BRIEF\">", "<BODY>", "</BODY>", "<TITLE>", "</TITLE>",
        "<D>", "</D>", "<TOPICS>", "</TOPICS>", "<UNKNOWN>", "<!--", "-->", "<!DOCTYPE",
        "&lt;", "&amp;", "&#3;", "&#x10FFFF;", "&#xD800;", "&#99999999;", "&;", "&#;", "&#x;",
        "NEWID=", "=\"", "''='", std::string("\0"sv),
    };
    return all;
}

inline constexpr std::string_view one_story = R"sgml(<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="311" NEWID="42">
<DATE> 2-APR-1987 09:15:01.77</DATE>
<TOPICS><D>wool</D><D>rubber</D></TOPICS>
<PLACES><D>norway</D></PLACES>
<PEOPLE></PEOPLE>
<ORGS><D>icco</D></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>
&#5;&#5;&#5;C T
&#22;&#22;&#1;f0042&#31;reute
u f BC-WOOL   04-02 0031</UNKNOWN>
<TEXT>&#2;
<TITLE>WOOL MILLS &lt;WML> SEE DEARER FLEECE</TITLE>
<AUTHOR>    BY A CORRESPONDENT</AUTHOR>
<DATELINE>    BERGEN, April 2 - </DATELINE><BODY>Two mills said they expect fleece to cost
5 pct more at &amp; after shearing, 1.20 kroner a kilo.
    A third mill saw no change.
 REUTER
&#3;</BODY></TEXT>
</REUTERS>
)sgml"sv;

inline constexpr std::string_view odd_stories = R"sgml(<REUTERS TOPICS="NO" LEWISSPLIT='TEST'
 NEWID=9 OLDID = "8" ><MKNOTE>checked</MKNOTE><TOPICS></TOPICS>
<TEXT TYPE="UNPROC">&#2;
FERRY TIMES &#127; &#xE9;t&#233; &quot;summer&quot; &apos;87&apos; &unknown; 3 < 4 > 2
</TEXT></REUTERS>
<REUTERS NEWID="10"><TEXT TYPE="BRIEF">
******<TITLE>HARBOUR BOARD TO MEET MONDAY</TITLE>
Blah blah blah.
</TEXT>
</REUTERS>
<!-- a comment > with a tag end -->
<LEWIS><REUTERS NEWID="11"><TOPICS><D></D></TOPICS><TEXT><BODY>x</TEXT></REUTERS>
stray words <REUTERS><TEXT></TEXT></REUTERS></REUTERS>
<REUTERS NEWID="12"><TEXT><TITLE>never closed)sgml"sv;

inline std::vector<std::string> make_seeds() {
    std::vector<std::string> all = {
        "",
        "a",
        "The pilot boat left at 06:30, three miles off; the tide wasn't with us, it's said.",
        "Größere Straßen führen über Fjorde: cœur, naïve façade, Æsir, ŁÓDŹ, İSTANBUL ıssız.",
        "Ὀδυσσεὺς ΟΔΥΣΣΕΥΣ, ΣΊΣΥΦΟΣ σίσυφος· ΑΣ.Α ΑΣ' Σ ΣΑΣ",
        "Паром пришёл в порт вовремя, ЁЛКА и ёлка; Київ, Ѝ ѝ",
        "港口今天很安静。船はまだ来ない、カモメだけ。ｶﾀｶﾅ ﾊﾝｶｸ",
        "배가 항구에 들어왔다. 각각 ㄱㄴㄷ 가각",
        "नाव घाट पर है, क्षितिज किरणें। বাংলা গান இன்று மழை",
        "السفينة في الميناء ١٢٣، مُحَمَّد ـــ بِسْمِ. שלום עֲלֵיכֶם",
        "用Python写第3章，二〇二四年 น้ำ๕น้ำ ភាសាខ្មែរ 東ê\u17d2京\u17d2都",
        "เรือมาถึงแล้ว ត្រី မြန်မာ ꭰꭱ Ꭰ 𐐀𐐨 𝔸𝕓 ℌℍ ª º ™ ½ Ⅷ",
        "👩🏽‍🚀🇳🇴 ❤️ e\u0301\u0323 a\u0308 \u200b\u200d\u200c\ufeff \u0301alone",
        "it's rock-'n'-roll o''clock -dash- 'quoted' a-b-c--d _under_score_ x’y’z 1-2‐3",
        std::string("nul\0in\0side \0\0 words\0"sv),
        "\xC3\x28 \xE2\x82 \xF0\x9F\x98 \xED\xA0\x80\xED\xB0\x80 \xC0\xAF \xF5\x80 \xFE\xFF "
        "tail\xE2",
        "caf\xE9 latin\xA0one \x80\x85\x9F \xDF\xFF M\xFCller",
        std::string("h\0i\0 \0\x3D\xD8\x69\xDC\0\xDC t\0w\0o\0"sv),
        std::string("h\0\0\0\x3F\xF6\x01\0 \0\0\0\0\0\x11\0\xFF\xFF\xFF\xFF"sv),
        std::string(one_story),
        std::string(odd_stories),
        std::string(one_story) + std::string(one_story) + std::string(odd_stories),
        " \t\n\v\f\r\x1C\x1D\x1E\x1F\u0085\u00a0\u1680\u2003\u2028\u3000 end",
    };
    for (const std::size_t length : {1, 62, 63, 64, 65, 127, 128, 129, 192, 1000}) {
        all.push_back(std::string(length, 'x'));
        all.push_back(std::string(length, 'Q') + " y");
        all.push_back(std::string(length - 1, ' ') + "-z'");
        std::string alternating;
        while (alternating.size() < length) alternating += "b-";
        all.push_back(alternating.substr(0, length));
    }
    // More words than a tokenizer emits at once, on the ASCII and on the general path.
    for (const std::string word : {"b ", "ö "}) {
        all.emplace_back();
        while (all.back().size() < 2100 * word.size()) all.back() += word;
    }
    return all;
}

inline const std::vector<std::string>& seeds() {
    static const auto all = make_seeds();
    return all;
}

}  // namespace postil::tests
