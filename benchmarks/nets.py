"""`python benchmarks/nets.py …` is `foible bench nets …`."""

import sys

from foible.interfaces.cli import run

if __name__ == "__main__":
    sys.exit(run(["bench", "nets", *sys.argv[1:]]))
