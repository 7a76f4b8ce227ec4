"""Analyse a run in small parts, from wherever an earlier process left it. Run by the tests, which kill it.

Arguments: run folder, analysis folder.
"""

import sys
from pathlib import Path

from foible.analysis import answers
from foible.analysis.quality.quality_report import Options, analyse
from foible.judges.spec import parse_judge

JUDGE = "material@200"


def main(run: str, folder: str) -> None:
    answers.FIRST = answers.LARGEST = answers.SMALLEST = 24
    analyse(Path(run), Options(judge=parse_judge(JUDGE), folder=Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
