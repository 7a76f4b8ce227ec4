"""Analyse a run in small parts, from wherever an earlier process left it. Run by the tests, which kill it.

Arguments: run folder, analysis folder. Prints `ready` when the judging begins.
"""

import sys
from pathlib import Path

from foible.analysis import answers
from foible.analysis.quality.judging import AnalysisProgress
from foible.analysis.quality.quality_report import Options, analyse
from foible.judges.spec import parse_judge


def main(run: str, folder: str) -> None:
    answers.FIRST = answers.LARGEST = answers.SMALLEST = 24
    analyse(Path(run), Options(judge=parse_judge("material@200"), folder=Path(folder)), _say_ready)


def _say_ready(now: AnalysisProgress) -> None:
    if not now.done:
        print("ready", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
