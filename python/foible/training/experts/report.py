"""Tables and figures as files: JSON and CSV for programs, one page of HTML for people."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from foible._core import __version__
from foible.runs.files import write_atomically
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.loss_table import MIXTURE, NO_PHASES, SETS, LossRow
from foible.training.experts.match_table import MatchRow
from foible.training.experts.plots import Figure, draw_all
from foible.training.experts.regimes import REGULAR

LOSS_COLUMNS = ("regime", "expert", *SETS, f"{NO_PHASES} against regular")
MATCH_COLUMNS = ("experts", "nodes", "batch", "games", "W D L", "Elo [95 %]", "by pairs", "by seed")


def write_report(config: ExpertsConfig, losses: Sequence[LossRow], matches: Sequence[MatchRow], folder: Path) -> None:
    """Write `experts.json`, `losses.csv`, `matches.csv`, `report.html` and the figures.

    :raises OSError: one of them cannot be written.
    """
    figures = draw_all(config, matches)
    found = msgspec.json.format(msgspec.json.encode(to_json(losses, matches)), indent=2)
    write_atomically(folder / "experts.json", found + b"\n")
    write_atomically(folder / "losses.csv", _csv(_loss_records(config, losses)))
    write_atomically(folder / "matches.csv", _csv(_match_records(matches)))
    for figure in figures:
        write_atomically(folder / f"{figure.name}.svg", figure.svg)
    write_atomically(folder / "report.html", _page(config, losses, matches, figures))


def to_json(losses: Sequence[LossRow], matches: Sequence[MatchRow]) -> dict[str, Any]:
    """Plain values of both tables."""
    return {"losses": [row.to_json() for row in losses], "matches": [row.to_json() for row in matches]}


def loss_lines(losses: Sequence[LossRow]) -> list[tuple[str, ...]]:
    """Table 1 as text, by `LOSS_COLUMNS`; after ± half the difference between the seeds that are furthest apart."""
    regular = next((row.mean(NO_PHASES) for row in losses if row.regime == REGULAR), None)
    found = []
    for row in losses:
        own = row.mean(NO_PHASES)
        gain = None if own is None or regular is None or row.expert != MIXTURE else own - regular
        cells = (_with_spread(row, name) for name in SETS)
        found.append((row.regime, row.expert, *cells, "" if gain is None else f"{gain:+.4f}"))
    return found


def match_lines(matches: Sequence[MatchRow]) -> list[tuple[str, ...]]:
    """The matches as text, by `MATCH_COLUMNS`."""
    return [
        (
            row.player,
            str(row.nodes),
            str(row.batch),
            str(row.games.n),
            " ".join(map(str, row.games.counts[::-1])),
            str(row.elo),
            str(row.paired_elo),
            ", ".join("–" if elo is None else f"{elo:+.0f}" for elo in row.elo_by_seed),
        )
        for row in matches
        if row.games.n
    ]


def _with_spread(row: LossRow, name: str) -> str:
    mean, spread = row.mean(name), row.spread(name)
    if mean is None:
        return ""
    return f"{mean:.4f}" if spread is None else f"{mean:.4f} ± {spread / 2:.4f}"


def _loss_records(config: ExpertsConfig, losses: Sequence[LossRow]) -> list[Mapping[str, object]]:
    """One for each net and seed."""
    return [
        {"regime": row.regime, "expert": row.expert, "seed": seed, **{name: found.get(name, "") for name in SETS}}
        for row in losses
        for seed, found in zip(config.seeds, row.by_seed, strict=True)
    ]


def _match_records(matches: Sequence[MatchRow]) -> list[Mapping[str, object]]:
    """One for each match."""
    found: list[Mapping[str, object]] = []
    for row in matches:
        for one in row.to_json()["by_seed"]:
            wins, draws, losses = one["wdl"]
            found.append(
                {
                    "player": row.player,
                    "nodes": row.nodes,
                    "batch": row.batch,
                    "seed": one["seed"],
                    "games": one["games"],
                    "wins": wins,
                    "draws": draws,
                    "losses": losses,
                    "elo": one["elo"]["value"],
                    "elo_low": one["elo"]["low"],
                    "elo_high": one["elo"]["high"],
                }
            )
    return found


def _csv(records: Sequence[Mapping[str, object]]) -> str:
    out = io.StringIO()
    if records:
        writer = csv.DictWriter(out, records[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
    return out.getvalue()


def _page(
    config: ExpertsConfig, losses: Sequence[LossRow], matches: Sequence[MatchRow], figures: Sequence[Figure]
) -> str:
    pages = Environment(
        loader=PackageLoader("foible.training.experts"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return pages.get_template("experts.html").render(
        config=config,
        loss_columns=LOSS_COLUMNS,
        losses=loss_lines(losses),
        match_columns=MATCH_COLUMNS,
        matches=match_lines(matches),
        figures=figures,
        version=__version__,
    )
