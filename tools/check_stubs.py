"""Compare src/postil/_native.pyi with the stub of the built module.

python tools/check_stubs.py            fail if they differ
python tools/check_stubs.py --write    write the file
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

from postil import _native

TARGET = Path(__file__).parent.parent / "src" / "postil" / "_native.pyi"


def render() -> str:
    """Return the stub of the built module."""
    generator = StubGen(_native)
    generator.put(_native)
    return generator.get()


def main() -> int:
    """Write or check the stub."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        TARGET.write_text(render(), encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == render():
        print("native stubs: up to date")
        return 0
    print("native stubs: differ from the built module; run make stubs", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
