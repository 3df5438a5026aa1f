"""`python -m postil`: the command line."""

from __future__ import annotations

from postil.cli.main import run

if __name__ == "__main__":
    run()
