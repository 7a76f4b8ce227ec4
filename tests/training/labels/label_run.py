"""Label a PGN file by the teacher of the tests, from wherever an earlier process left it. Arguments: the PGN file, the
folder. Run by the tests, which kill it.
"""

import sys
from pathlib import Path

from tests.training.labels.made_up import Noting, config, labelled

if __name__ == "__main__":
    labelled(config(sys.argv[1]), Path(sys.argv[2]), Noting(chunk=15))
