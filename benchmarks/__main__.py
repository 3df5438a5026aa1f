"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks import suite
from benchmarks.harness import BENCHMARKS, Settings, UnequalError
from benchmarks.report import PROCESSOR, Finding, Report, description, load

IMAGES = Path("docs/images")


def main(arguments: Sequence[str]) -> int:
    """Run benchmarks; 1 where contenders that should agree did not, 2 where asked wrongly."""
    suite.load()
    parser = _parser()
    asked = parser.parse_args(arguments)
    for name in asked.names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark is called {name!r}: there are {', '.join(BENCHMARKS)}")
    settings = Settings(quick=asked.quick, plots=_plots(asked))
    if settings.plots is not None and find_spec("matplotlib") is None:
        parser.error("plots need the package matplotlib: pip install 'postil[plots]'")
    command = shlex.join(["python", "-m", "benchmarks", *arguments])
    report = Report(command, description())
    # Once, before there is any load of our own.
    busy = load()
    measured = f"{report.when} on {report.machine[PROCESSOR]}, load at the start {busy}"
    print(report.head(), flush=True)
    unequal = False
    for name in asked.names or BENCHMARKS:
        print(f"running {name} …", file=sys.stderr, flush=True)
        try:
            finding = Finding.gather(BENCHMARKS[name], BENCHMARKS[name].run(settings), measured)
        except UnequalError as error:
            finding = Finding(name, BENCHMARKS[name].summary)
            finding.add(f"NOT EQUAL, so nothing is reported: {error}.")
            unequal = True
        report.findings.append(finding)
        print(finding.as_text(), flush=True)
    if asked.json:
        report.write_json(asked.json)
    if asked.markdown:
        report.write_markdown(asked.markdown)
    return int(unequal)


def _plots(asked: argparse.Namespace) -> Path | None:
    # A page shows its plots, so it cannot do with those of an earlier run.
    beside: Path | None = asked.markdown.parent / "images" if asked.markdown else None
    chosen: Path | None = asked.plots
    return chosen or beside


def _parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {b.name:<16}{b.summary}" for b in BENCHMARKS.values())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure postil side by side with its peers.",
        epilog=f"benchmarks:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="which benchmarks to run, all if none is named"
    )
    parser.add_argument(
        "--quick", action="store_true", help="little data, few rounds: only to see that all works"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to FILE")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write a page, plots in images beside it"
    )
    parser.add_argument(
        "--plots",
        type=Path,
        metavar="FOLDER",
        nargs="?",
        const=IMAGES,
        help=f"write plots to FOLDER, {IMAGES} if none is named",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
