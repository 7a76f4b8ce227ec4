"""`foible phases`."""

from pathlib import Path
from typing import Annotated

import typer

from foible.games.jsonl import read_positions
from foible.games.phases import PhaseTable, phase_lines
from foible.interfaces.cli.inputs import open_lines
from foible.interfaces.cli.options import Positions
from foible.interfaces.cli.output import counted, examples, progress_bar, write_lines

EPILOG = examples(
    "foible phases positions.jsonl --table legacy --out phases.jsonl",
    """echo '{"moves": ["e2e4", "e7e5"]}' | foible phases - | jq .phase""",
)


def phases(
    file: Positions,
    table: Annotated[PhaseTable, typer.Option(help="The scores of mixedness.")] = "current",
    out: Annotated[Path | None, typer.Option(help="Write here, once complete, instead of to the output.")] = None,
) -> None:
    """The game phase of positions: one JSON result per position, in order.

    {"id", "phase", "mixedness", "majors_and_minors", "sparse_backrank"}; phase 0 is the opening, 1 the middlegame,
    2 the endgame. At most 6 majors and minors are an endgame; at most 10, a back rank with fewer than four pieces of
    its side, or a mixedness above 150 a middlegame.

    Tables: current is lichess' since June 2025 and the same for both colours; legacy is lichess' before that, and
    labelled the data of the phase-experts paper; engine is CrazyAra's, and chose the nets in the paper's matches.
    """
    with open_lines(file) as (lines, name, total), progress_bar("positions", total, out) as move:
        write_lines(counted(phase_lines(read_positions(lines, name), table), move), out)
