"""Check what ruff does not: how docstrings open, and how large functions and folders are.

python tools/check_style.py
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
# A docstring says what the code does or is; these words open a clause that leaves the verb out.
OPENINGS = re.compile(r"(What|Whether|Where|Who|Whose|Which|Why|How|That|Those|Of|As)\b(?! to\b)")
PYTHON = ("src", "benchmarks", "tools", "tests")
MOST_LINES = 60
MOST_FILES = 25

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def findings(path: Path) -> Iterator[str]:
    """Yield what is wrong in one Python file, each with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Documented):
            opening = OPENINGS.match(ast.get_docstring(node) or "")
            if opening:
                line = getattr(node, "lineno", 1)
                yield f"{line}: the docstring opens with {opening[0]!r}: say what the code does"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[1] if ast.get_docstring(node) and node.body[1:] else node.body[0]
            lines = (node.end_lineno or first.lineno) - first.lineno + 1
            if lines > MOST_LINES:
                yield f"{node.lineno}: {node.name} has {lines} lines, at most {MOST_LINES} fit"


def main() -> int:
    """Print the findings in all Python sources; return 1 if there are any."""
    paths = sorted(path for name in PYTHON for path in (ROOT / name).rglob("*.py"))
    found = [f"{path.relative_to(ROOT)}:{each}" for path in paths for each in findings(path)]
    sources = [*paths, *(path for path in (ROOT / "native").rglob("*") if path.is_file())]
    for folder, files in Counter(path.parent for path in sources).items():
        if files > MOST_FILES:
            found.append(f"{folder.relative_to(ROOT)}: {files} files, at most {MOST_FILES} fit")
    print("\n".join(found) or "docstrings, functions and folders: nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
