"""`python benchmarks/pgn.py …` is `foible bench pgn …`."""

import sys

from foible.interfaces.cli import run

if __name__ == "__main__":
    sys.exit(run(["bench", "pgn", *sys.argv[1:]]))
