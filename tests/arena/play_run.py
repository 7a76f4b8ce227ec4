"""Play a match of random teams in a run folder, from wherever an earlier process left it.

Arguments: folder, pairs. Run by the tests, which kill it.
"""

import sys
from pathlib import Path

from foible.arena.report import report_on
from foible.arena.store import ChessStore
from tests.arena.scripted import framework, random_match


def main(folder: str, pairs: int) -> None:
    with ChessStore(Path(folder), {"match": {"pairs": pairs, "seed": 9}}) as store:
        records = random_match(store, pairs)
        store.write_results()
        store.write_report(report_on(records, framework()).to_json())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
