"""The door: ``python -m benchmarks [NAME …]``."""

import sys

from benchmarks.command import main

sys.exit(main(sys.argv[1:]))
