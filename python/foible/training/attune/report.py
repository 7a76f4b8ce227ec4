"""The report on an attuned net: its games, how well nets predict them, the tests with the partner and without."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from foible.arena.report import MatchReport
from foible.toml import to_toml_dict
from foible.training.attune.config import AttuneConfig
from foible.training.attune.move_prediction import Fit
from foible.training.data.dataset import Part
from foible.training.trained import Trained
from foible.wording import percent

Cell = str | int | None

PUBLISHED: Mapping[tuple[str, str], tuple[str, str]] = {
    ("stt", "all"): ("55.0 ± 0.5", "12.5 ± 1.5"),
    ("stt", "senior"): ("52 ± 0.5", "36.5 ± 1.5"),
    ("hb", "all"): ("55.0 ± 0.5", "4.5 ± 1.5"),
}
"""The paper's shares of points in percent, with the partner and alone, by framework and plies learnt from
(skill-compatible §4.3 and §7, table 1).
"""


@dataclass(frozen=True, slots=True)
class MarkdownTable:
    """A table for people; its first column holds text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class AttuneReport:
    """The results of a run as far as it has come: `None` stands for what is yet to be done."""

    config: AttuneConfig
    games: MatchReport | None = None
    """The match with the games to learn from; `None` also where they come from another match."""
    parts: Mapping[Part, int] | None = None
    """The number of games in each part: training, validation, test."""
    tuned: Trained | None = None
    fits: Mapping[str, Fit] | None = None
    """How well nets predict the held-out games, by net: `SENIOR`, `JUNIOR` unless it is an engine, `ATT`."""
    test: MatchReport | None = None
    alone: MatchReport | None = None
    finished: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain values; shares are 0 to 1."""
        return {
            "finished": self.finished,
            "config": to_toml_dict(self.config),
            "games": self.games and self.games.to_json(),
            "parts": self.parts and dict(self.parts),
            "tuning": self.tuned and self.tuned.to_json(),
            "held_out": self.fits and {net: asdict(fit) for net, fit in self.fits.items()},
            "test": self.test and self.test.to_json(),
            "alone": self.alone and self.alone.to_json(),
        }

    def tables(self) -> list[MarkdownTable]:
        """Tables of all results so far."""
        found = []
        if self.test or self.alone:
            found.append(MarkdownTable("ATT against SENIOR", MATCH_COLUMNS, tuple(self._matches())))
        if self.fits:
            found.append(fit_table(self.fits))
        return [MarkdownTable("Attuned net", ("", ""), tuple(self._summary())), *found]

    def _summary(self) -> Iterable[tuple[Cell, ...]]:
        config, tune = self.config, self.config.tune
        yield "framework", {"stt": "tag team", "hb": "hand and brain"}[config.framework]
        yield "senior, junior", f"{config.senior}, {config.junior_name}"
        if self.games:
            yield (
                "games",
                f"{self.games.games.n} ({self.games.different} different) at {config.nodes} nodes a move",
            )
        if self.parts:
            yield "split", ", ".join(f"{part} {count}" for part, count in self.parts.items())
        if self.tuned:
            yield "tuning", f"{self.tuned.steps} steps of {tune.batch}, learning rate {tune.lr:g}"
            yield "plies, value target", f"{tune.plies}, {tune.value_target}"
            yield "net", str(self.tuned.net)
        for match in (self.games, self.test):
            for one in match.failures if match else ():
                yield f"failures of {one.team}", str(one)

    def _matches(self) -> Iterable[tuple[Cell, ...]]:
        published = PUBLISHED[self.config.framework, self.config.tune.plies]
        for name, report, paper in zip(("with the junior", "alone"), (self.test, self.alone), published, strict=True):
            if report is not None:
                yield match_row(name, report, paper)


MATCH_COLUMNS = ("", "games", "win share", "wins", "draws", "losses", "Elo [95 %]", "paper")


def match_row(name: str, report: MatchReport, paper: str) -> tuple[Cell, ...]:
    """A match as a row under `MATCH_COLUMNS`. `paper`: the published share."""
    losses, draws, wins = report.games.counts
    return (
        name,
        report.games.n,
        report.percent,
        wins,
        draws,
        losses,
        str(report.elo or "–"),
        f"{paper} %",
    )


def fit_table(fits: Mapping[str, Fit]) -> MarkdownTable:
    """A table of how well nets predict the held-out games."""
    columns = (
        "net",
        "policy loss",
        "plays the move",
        "agrees with junior",
        "agrees with senior's search",
        "value error",
    )
    rows = (
        (
            net,
            f"{fit.policy_loss:.3f}",
            percent(fit.top1),
            percent(fit.with_junior),
            percent(fit.with_senior),
            f"{fit.value_error:.3f}",
        )
        for net, fit in fits.items()
    )
    return MarkdownTable("First choices in held-out games", columns, tuple(rows))


def markdown(title: str, tables: Sequence[MarkdownTable], note: str = "") -> str:
    """A page of tables in Markdown."""
    return "\n\n".join([f"# {title}", *map(_table, tables), *([note] if note else [])]) + "\n"


def _table(table: MarkdownTable) -> str:
    def line(cells: Iterable[Cell]) -> str:
        return "| " + " | ".join("–" if cell is None else str(cell).replace("|", "\\|") for cell in cells) + " |"

    ruler = line(["---", *("---:" for _ in table.columns[1:])])
    return "\n".join([f"## {table.title}\n", line(table.columns), ruler, *map(line, table.rows)])
