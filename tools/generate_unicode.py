"""Write native/src/tokenizer/unicode_tables.cpp from the running Python's Unicode database.

    python tools/generate_unicode.py            write the file
    python tools/generate_unicode.py --check    fail if the file would change

The tables hold the class bits of each code point and its image under ``str.lower``,
``str.casefold`` and accent folding (NFKD without combining marks). Every property is derived
from the behaviour of Python itself, so that native tokens equal Python's.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from pathlib import Path

TARGET = Path(__file__).parent.parent / "native" / "src" / "tokenizer" / "unicode_tables.cpp"
CODE_POINTS = 0x110000
BLOCK = 128

LETTER, SPACED, UNSPACED, MARK, SPACE, PYTHON_WORD, CASED, CASE_IGNORABLE = (
    1 << bit for bit in range(8)
)
SURROGATES = range(0xD800, 0xE000)
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # decomposed arithmetically in unicode.hpp
JOINERS = (0x200C, 0x200D)  # zero width (non-)joiner: inside words of Persian and Indic scripts
# Scripts without spaces between words, by the names of their letters: Han, Kana, Thai, Lao, Khmer
# and Myanmar.
UNSPACED_NAMES = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ", "HANGZHOU NUMERAL ",
    "VERTICAL IDEOGRAPHIC ", "MASU MARK", "HIRAGANA ", "KATAKANA ", "KATAKANA-HIRAGANA ",
    "HALFWIDTH KATAKANA", "HENTAIGANA ", "VERTICAL KANA ", "THAI ", "LAO ", "KHMER ", "MYANMAR ",
)  # fmt: skip
CAPITAL_SIGMA = 0x3A3  # str.lower picks its form by context: unicode.hpp does the same


def class_bits(code: int) -> int:
    """Return the class bits of one code point."""
    char = chr(code)
    category = unicodedata.category(char)
    bits = 0
    if category[0] == "L":
        bits |= LETTER
    if category[0] in "LN" or category == "Pc":
        letters = category[0] == "L" or category == "Nl"  # not digits
        named = unicodedata.name(char, "").startswith(UNSPACED_NAMES)
        bits |= UNSPACED if letters and named else SPACED
    if category[0] == "M" or code in JOINERS:
        bits |= MARK
    if char.isspace():
        bits |= SPACE
    if char.isalnum() or char == "_":
        bits |= PYTHON_WORD
    # The lower case of a capital sigma depends on these two properties of its neighbours.
    if ("aΣ" + char).lower()[1] == "σ":
        bits |= CASED
    elif ("aΣ" + char + "a").lower()[1] == "σ":
        bits |= CASE_IGNORABLE
    return bits


def lowered(code: int) -> str:
    """Return the lower case of a single character."""
    return "σ" if code == CAPITAL_SIGMA else chr(code).lower()


def folded(code: int) -> str:
    """Return the character without its accents."""
    if code in HANGUL_SYLLABLES:
        return chr(code)
    decomposed = unicodedata.normalize("NFKD", chr(code))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def two_stage(values: list[int]) -> tuple[list[int], list[int]]:
    """Split a flat table into a list of block numbers and the distinct blocks."""
    numbers: dict[tuple[int, ...], int] = {}
    stage_one = []
    for start in range(0, len(values), BLOCK):
        block = tuple(values[start : start + BLOCK])
        stage_one.append(numbers.setdefault(block, len(numbers)))
    return stage_one, [value for block in numbers for value in block]


def c_array(kind: str, name: str, values: list[int]) -> str:
    """Return a C++ array definition, wrapped."""
    lines, line = [], ""
    for value in values:
        item = f"{value},"
        if len(line) + len(item) > 110:
            lines.append(line)
            line = ""
        line += item
    lines.append(line)
    return f"const {kind} {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


def mapping_tables(name: str, mapping: dict[int, str]) -> str:
    """Return the tables of one character map: code point to a run in a pool of code points."""
    pool: list[int] = []
    runs = [0, 0]  # run 0 is the identity and is never read
    run_of: dict[str, int] = {}
    for image in mapping.values():
        if image not in run_of:
            run_of[image] = len(runs) - 1
            pool.extend(map(ord, image))
            runs.append(len(pool))
    flat = [run_of[mapping[c]] if c in mapping else 0 for c in range(CODE_POINTS)]
    stage_one, stage_two = two_stage(flat)
    return "\n".join(
        [
            c_array("std::uint16_t", f"{name}_blocks", stage_one),
            c_array("std::uint16_t", f"{name}_run_of", stage_two),
            c_array("std::uint16_t", f"{name}_run_ends", runs),
            c_array("char32_t", f"{name}_pool", pool),
        ]
    )


def render() -> str:
    """Return the content of the file."""
    codes = [c for c in range(CODE_POINTS) if c not in SURROGATES]
    bits = [0] * CODE_POINTS
    for code in codes:
        bits[code] = class_bits(code)
    stage_one, stage_two = two_stage(bits)
    maps = {
        "lower": {c: lowered(c) for c in codes if lowered(c) != chr(c)},
        "casefold": {c: chr(c).casefold() for c in codes if chr(c).casefold() != chr(c)},
        "unaccent": {c: folded(c) for c in codes if folded(c) != chr(c)},
    }
    parts = [
        f"// Unicode {unicodedata.unidata_version}. Written by tools/generate_unicode.py.",
        '#include "unicode_tables.hpp"\n',
        "namespace postil::unicode {\n",
        c_array("std::uint16_t", "class_blocks", stage_one),
        c_array("std::uint8_t", "class_of", stage_two),
        *(mapping_tables(name, mapping) for name, mapping in maps.items()),
        "}  // namespace postil::unicode",
    ]
    return "\n".join(parts) + "\n"


def main() -> int:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not arguments.check:
        TARGET.write_text(render(), encoding="ascii")
        return 0
    present = TARGET.read_text(encoding="ascii")
    if f"// Unicode {unicodedata.unidata_version}." not in present:
        print("unicode tables: not compared, because this Python has another Unicode version")
        return 0
    if present == render():
        print("unicode tables: up to date")
        return 0
    print("unicode tables: differ; run python tools/generate_unicode.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
