"""`python benchmarks/search.py …` is `foible bench search …`."""

import sys

from foible.interfaces.cli import run

if __name__ == "__main__":
    sys.exit(run(["bench", "search", *sys.argv[1:]]))
