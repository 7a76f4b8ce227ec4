"""`foible eval`, `foible search` and `foible phases`: a table, or a line of JSON for each position."""

import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from foible.errors import ConfigError
from foible.fields import LARGEST
from foible.games.jsonl import read_positions
from foible.games.phases import PHASES, PhaseTable, phase_lines
from foible.interfaces.cli.options import Net, Positions, Precision, Runtime, Settings, Threads, open_lines, settings
from foible.interfaces.cli.output import Json, examples, print_table, write_lines
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.nets import open_net
from foible.nets.evaluator import evaluate_lines
from foible.nets.go.evaluator import GoRuntimeNet
from foible.search.jsonl import search_lines
from foible.search.params import PRESETS, SearchSettings
from foible.wording import counted, percent, signed

Out = Annotated[Path | None, typer.Option(help="Write JSON Lines here, once complete, instead of printing.")]
SHOWN: Final = 10
"""The most moves of a position that a table shows."""
PROVEN: Final = {1: "win", 0: "draw", -1: "loss"}

EVALUATE_EXAMPLES = examples(
    "foible eval master positions.jsonl --out evaluations.jsonl",
    """echo '{"moves": ["e2e4", "e7e5"]}' | foible eval club:1100 - --json | jq .q""",
)


def evaluate(
    net: Net,
    file: Positions,
    out: Out = None,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """What a net says of positions: a table for each, or with --json one JSON result per position, in order.

    {"id", "policy": {uci: p}, "logits": {uci: x}, "wdl": [w, d, l], "q"}, for the side to move; the policy at
    temperature 1, most likely move first; q = w − l. Where there is no legal move the policy is empty and wdl is
    the result by the rules. The history counts: give moves rather than a FEN where you have them.
    """
    with open_lines(file) as (lines, name, total), _progress(out) as line:
        evaluator = open_net(net, runtime=runtime, precision=precision, threads=threads)
        if isinstance(evaluator, GoRuntimeNet):
            raise ConfigError(
                f"{net} is a net for Go, these are positions of chess: foible go curve GAME.sgf --net {net}"
            )
        evaluations = _counted(evaluate_lines(evaluator, read_positions(lines, name)), "evaluating", line, total)
        if json or out:
            write_lines(evaluations, out)
            return
        for number, evaluation in enumerate(evaluations, 1):
            _print_evaluation(_title(number, evaluation), evaluation)


SEARCH_EXAMPLES = (
    examples(
        "foible search master positions.jsonl --nodes 800 --out searches.jsonl",
        "foible search material - --nodes 100 --set cpuct=3 --set fpu=absolute --set fpu_value=-1",
    )
    + "\n\nParameters and defaults: "
    + ", ".join(f"{name} {value}" for name, value in SearchSettings().values().items())
)


def search(
    net: Net,
    file: Positions,
    nodes: Annotated[int, typer.Option(min=1, max=LARGEST, help="Visits of each root.")],
    set_: Settings = None,
    preset: Annotated[Literal["lc0", "lc0-0.28"], typer.Option(help="Defaults to start from.")] = "lc0",
    out: Out = None,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Search positions: a table for each, or with --json one JSON result per position, in order.

    {"id", "best": uci, "root": {"n", "q", "d"}, "moves": {uci: {"n", "q", "p"}}, "pv": […]}: visits, value (−1 to
    1), draw probability and prior, for the side to move; best moves first; the q of a move without visits is 0. A move
    whose result is proven has "proven" as well: 1 a win, 0 a draw, -1 a loss. With batch 1 (the default) each search is
    PUCT to the letter, however many run at once. Where there is no legal move, best is null, n is 0, and q and d are
    the result's.
    """
    chosen = SearchSettings(params=PRESETS[preset]).with_settings(settings(set_ or ()))
    chosen.refuse_unread()
    with open_lines(file) as (lines, name, total), _progress(out) as line:
        evaluator = open_net(net, runtime=runtime, precision=precision, threads=threads)

        def on_progress(done: float) -> None:
            line.show("searching", done, total)

        searches = search_lines(evaluator, read_positions(lines, name), chosen, nodes, on_progress)
        if json or out:
            write_lines(searches, out)
            return
        for number, searched in enumerate(searches, 1):
            _print_search(_title(number, searched), searched)


PHASES_EXAMPLES = examples(
    "foible phases positions.jsonl --table legacy --out phases.jsonl",
    """echo '{"moves": ["e2e4", "e7e5"]}' | foible phases - --json | jq .phase""",
)


def phases(
    file: Positions,
    table: Annotated[PhaseTable, typer.Option(help="The scores of mixedness.")] = "current",
    out: Out = None,
    json: Json = False,
) -> None:
    """The game phase of positions: a table, or with --json one JSON result per position, in order.

    {"id", "phase", "mixedness", "majors_and_minors", "sparse_backrank"}; phase 0 is the opening, 1 the middlegame,
    2 the endgame. At most 6 majors and minors are an endgame; at most 10, a back rank with fewer than four pieces of
    its side, or a mixedness above 150 a middlegame.

    Tables: current is lichess' since June 2025 and the same for both colours; legacy is lichess' before that, and
    labelled the data of the phase-experts paper; engine is CrazyAra's, and chose the nets in the paper's matches.
    """
    with open_lines(file) as (lines, name, total), _progress(out) as line:
        results = _counted(phase_lines(read_positions(lines, name), table), "phases", line, total)
        if json or out:
            write_lines(results, out)
            return
        rows = [
            (
                _title(number, of),
                PHASES[of["phase"]],
                of["mixedness"],
                of["majors_and_minors"],
                "yes" if of["sparse_backrank"] else "no",
            )
            for number, of in enumerate(results, 1)
        ]
    print_table("Phases", ("", "phase", "mixedness", "majors and minors", "sparse back rank"), rows, left=2)


def _title(number: int, result: dict[str, Any]) -> str:
    return f"position {number}" + (f", id {result['id']}" if "id" in result else "")


def _print_evaluation(title: str, evaluation: dict[str, Any]) -> None:
    rows = [
        (move, percent(share), signed(evaluation["logits"][move], 2)) for move, share in evaluation["policy"].items()
    ]
    win, draw, loss = map(percent, evaluation["wdl"])
    plies = f"; {evaluation['moves_left']:.0f} plies left" if "moves_left" in evaluation else ""
    value = f"win {win}, draw {draw}, loss {loss}; value {signed(evaluation['q'], 3)}{plies}"
    print_table(title, ("move", "policy", "logit"), rows[:SHOWN], note=value + _more(rows))


def _print_search(title: str, searched: dict[str, Any]) -> None:
    rows = [
        (
            move,
            of["n"],
            signed(of["q"], 3) if of["n"] else None,  # a move that was not visited has no value yet
            percent(of["p"]),
            PROVEN[of["proven"]] if "proven" in of else "",
        )
        for move, of in searched["moves"].items()
    ]
    root = searched["root"]
    value = f"value {signed(root['q'], 3)}, draw {percent(root['d'])}, {counted(root['n'], 'visit')}"
    line = f"; line {' '.join(searched['pv'])}" if searched["pv"] else ""
    print_table(title, ("move", "visits", "value", "prior", "proven"), rows[:SHOWN], note=value + line + _more(rows))


def _more(moves: Sized) -> str:
    if not moves:
        return "; no legal move"
    more = len(moves) - SHOWN
    return f"; {counted(more, 'more move')} with --json" if more > 0 else ""


def _progress(out: Path | None) -> AbstractContextManager[ProgressLine]:
    """A progress line, hidden where the results themselves go to the terminal."""
    return progress_line("positions", hidden=out is None and sys.stdout.isatty())


def _counted(
    results: Iterable[dict[str, Any]], job: str, line: ProgressLine, total: int | None
) -> Iterator[dict[str, Any]]:
    """The same results; each one that is taken moves the progress line on."""
    for done, result in enumerate(results, 1):
        line.show(job, done, total)
        yield result
