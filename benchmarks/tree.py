"""`python benchmarks/tree.py …` is `foible bench tree …`."""

import sys

from foible.interfaces.cli import run

if __name__ == "__main__":
    sys.exit(run(["bench", "tree", *sys.argv[1:]]))
