"""The colours and the layout of the HTML page.

Up is green with a solid line beneath, down is red with a dashed one: colour is never the only
sign. Every text keeps a contrast of at least 4.5 to 1 with what is behind it, in either scheme.
"""

from __future__ import annotations

from dataclasses import dataclass

LEVELS = 5


@dataclass(frozen=True, slots=True)
class Scheme:
    """Colours for one of light and dark; ``up`` and ``down`` from the faintest to the strongest."""

    text: str
    quiet: str
    page: str
    panel: str
    line: str
    up: tuple[str, ...]
    down: tuple[str, ...]
    up_line: str
    down_line: str


LIGHT = Scheme(
    text="#16181c",
    quiet="#50555e",
    page="#ffffff",
    panel="#f4f5f7",
    line="#c9cdd4",
    up=("#e4f6ea", "#c5ebd2", "#a0ddb6", "#7acd98", "#57bb7d"),
    down=("#fdebe8", "#fbd3cc", "#f7b5aa", "#f29688", "#ec7a69"),
    up_line="#0b6b3a",
    down_line="#a3200f",
)
DARK = Scheme(
    text="#f1f3f5",
    quiet="#b3b9c2",
    page="#15171a",
    panel="#1f2226",
    line="#454b54",
    up=("#13301f", "#15402a", "#175134", "#19613f", "#1b6f48"),
    down=("#3a1a16", "#511e18", "#69231b", "#80281e", "#962d22"),
    up_line="#5ad491",
    down_line="#ff9a8a",
)

_LAYOUT = """
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.15rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.quiet { color: var(--quiet); }
.tabs { position: absolute; opacity: 0; }
.labels { display: flex; flex-wrap: wrap; gap: .3rem; border-bottom: 1px solid var(--line); }
.labels label { padding: .3rem .7rem; cursor: pointer; border: 1px solid transparent;
  border-bottom: 0; border-radius: .4rem .4rem 0 0; }
.field { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem;
  padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
mark { color: inherit; background: none; border-radius: .15rem; padding: .05em 0; }
.u { border-bottom: 2px solid var(--up-line); }
.d { border-bottom: 2px dashed var(--down-line); }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .15rem .5rem; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 6rem; }
th { border-bottom: 1px solid var(--line); font-weight: 600; }
td.bar { width: 35%; text-align: left; }
td.bar span { display: block; height: .8rem; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem 1rem; padding: 0; }
/* On a narrow screen what a term added matters more than how it came about. */
@media (max-width: 36rem) {
  table.terms :is(th, td):is(:nth-child(3), :nth-child(4)) { display: none; }
}
@media print { section.of, .labels { display: block !important; } .labels { border: 0; } }
"""


def style_sheet(tabs: int) -> str:
    """The whole style sheet of a page with so many tabs."""
    dark = f"@media (prefers-color-scheme: dark) {{ {_variables(DARK)} }}"
    return "\n".join([_variables(LIGHT), dark, _LAYOUT, *_levels(), *_tab_rules(tabs)])


def _variables(scheme: Scheme) -> str:
    named = {
        "text": scheme.text,
        "quiet": scheme.quiet,
        "page": scheme.page,
        "panel": scheme.panel,
        "line": scheme.line,
        "up-line": scheme.up_line,
        "down-line": scheme.down_line,
        **{f"up-{level}": colour for level, colour in enumerate(scheme.up, 1)},
        **{f"down-{level}": colour for level, colour in enumerate(scheme.down, 1)},
    }
    return ":root { " + " ".join(f"--{name}: {colour};" for name, colour in named.items()) + " }"


def _levels() -> list[str]:
    return [
        f".{letter}{level} {{ background: var(--{way}-{level}); }}"
        for letter, way in (("u", "up"), ("d", "down"))
        for level in range(1, LEVELS + 1)
    ]


def _tab_rules(tabs: int) -> list[str]:
    """Show the section whose tab is chosen, mark that tab, and the one the keyboard is on."""
    if tabs < 2:
        return []
    rules = ["section.of { display: none; }"]
    for number in range(tabs):
        rules += [
            f"#tab{number}:checked ~ #of{number} {{ display: block; }}",
            f"#tab{number}:checked ~ .labels label[for=tab{number}] "
            "{ background: var(--panel); border-color: var(--line); font-weight: 600; }",
            f"#tab{number}:focus-visible ~ .labels label[for=tab{number}] "
            "{ outline: 2px solid var(--text); }",
        ]
    return rules
