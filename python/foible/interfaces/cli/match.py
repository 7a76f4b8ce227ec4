"""`foible match`: two teams, many games, one report; and `foible presets`, the matches that come with foible."""

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
import tomli_w
import typer

from foible.agents.named_files import stand_ins
from foible.arena.config import own_presets, read_config, read_preset, with_changes, with_odds, with_sprt
from foible.arena.match import Decided, complete_pairs
from foible.arena.papers import EXPERIMENTS
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.sprt import Sprt, Stop
from foible.arena.stats import sample_of, tally_games, tally_pairs
from foible.arena.store import read_games
from foible.arena.tables import cutechess_lines, render
from foible.errors import ConfigError
from foible.games.odds import ODDS
from foible.interfaces.cli.options import PRECISION_HELP, AnyProcessor, On, PrecisionName
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, say_more_than_asked, stopped
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.runs.folder import named_run
from foible.scale import open_executor
from foible.toml import to_toml_dict, without_none
from foible.wording import percent

MATCH_EXAMPLES = examples(
    "foible match --preset stt-tree --games 20 --nodes 100",
    "foible match --preset queen-odds --nodes 50 --games 10",
    "foible match examples/researcher.toml --out runs/tree",
    "foible match examples/researcher.toml --out runs/tree --games 2000",
    "foible match examples/researcher.toml --out runs/test --games 20000 --sprt 0 10",
    "foible match runs/tree --on processes:4",
)


def match(
    config: Annotated[
        Path | None,
        typer.Argument(
            help="TOML file that describes the match, or the folder of one to go on with.", show_default=False
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A match that comes with foible; `foible presets` lists them.", show_default=False),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(help="Games in all, rounded up to pairs, in place of the configuration's.", show_default=False),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Visits per move for all players that search.", show_default=False)
    ] = None,
    effort: Annotated[
        float | None,
        typer.Option(help="Factor on the visits of nets: 0.1 plays with a tenth of them.", show_default=False),
    ] = None,
    openings: Annotated[
        Path | None, typer.Option(help="Book of a standard or odds match: EPD, PGN, or balanced.", show_default=False)
    ] = None,
    odds: Annotated[
        str | None,
        typer.Option(help=f"What the focal team gives in every game: {', '.join(ODDS)}.", show_default=False),
    ] = None,
    precision: Annotated[PrecisionName | None, typer.Option(help=PRECISION_HELP, show_default=False)] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the match.", show_default=False)] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="ELO0 ELO1",
            help="Stop as soon as a sequential test decides between two (normalised) Elo differences.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Run folder; runs/NAME of the configuration or preset when absent.", show_default=False),
    ] = None,
    live: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="GAMES",
            help="Write score, Elo and SPRT after every so many games, as cutechess does.",
            show_default=False,
        ),
    ] = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Play two teams against each other and report win share, Elo, and who lost how much.

    The run folder holds config.toml, games.pgn, results.csv and report.json. The same command continues a run that
    was stopped or killed: no finished game is lost or played twice. Ctrl-C stops after the current move; the judge is
    asked once all games are finished.
    """
    if (config is None) == (preset is None):
        raise ConfigError("give either a configuration file or --preset NAME; `foible presets` lists the names")
    if config is None:
        asked, folder = read_preset(str(preset)), out or Path("runs") / str(preset)
    else:
        file, folder = named_run(config, out, "match")
        asked = read_config(file)
    asked = asked if odds is None else with_odds(asked, odds)
    book = {"file": str(openings)} if openings else None
    asked = with_changes(asked, games=games, nodes=nodes, effort=effort, openings=book, precision=precision, seed=seed)
    asked = asked if sprt is None else with_sprt(asked, *sprt)
    console = Console(stderr=True, highlight=False)
    say_stand_ins([asked], console)
    with open_executor(on) as executor, progress_line("games") as line:
        tell = _Teller(line, asked.sprt, live, console)
        judging = partial(line.show, "judging")
        report = play(asked, folder, tell, on_judged=judging, executor=executor, any_processor=any_processor)
    tell.end(folder)
    if as_json:
        print_json(report.with_speed() if report else {"games": 0, "asked": 2 * asked.pairs})
    elif report is not None:
        Console().print(render(report))
        Console(highlight=False).print(f"games, configuration and report: {folder}", soft_wrap=True)
        if report.judge is None and (asked.judge or not report.has_losses):
            told = f"what each player's moves lost: foible analyse {folder} --judge {asked.judge or 'master'}"
            Console(highlight=False).print(told, soft_wrap=True)
        if report.focal == report.alter:
            told = f"both teams are called {report.focal}; give one a `name` to tell them apart in other programs"
            console.print(told, style="yellow", soft_wrap=True)
    played = report.finished if report else 0
    if played > 2 * asked.pairs:
        say_more_than_asked(2 * asked.pairs)
    decided = report is not None and report.sprt is not None and report.sprt.decided
    if played < 2 * asked.pairs and not decided:
        stopped(f"after {played} of {2 * asked.pairs} games")


class _Teller:
    """Tells how a match goes: on the progress line, and where `every` is given, in reports that stay on the screen."""

    def __init__(self, line: ProgressLine, sprt: Sprt | None, every: int | None, console: Console) -> None:
        """`every`: games between two reports that stay; `None`: no such reports."""
        self._line, self._sprt, self._every, self._console = line, sprt, every, console
        self._decided = Decided[GameRecord](Stop(sprt) if sprt else None)
        self._told = 0
        """Games of this run that were finished when the last such report was due."""
        self._counted = 0
        """Games that the last such report counted."""
        self._verdict_told = False
        """Whether the last such report said that the sequential test is decided."""

    def __call__(self, now: MatchProgress[GameRecord]) -> None:
        finished = len(now.finished)
        due = self._every is not None and now.new >= self._told + self._every
        if not self._verdict_told and (due or (self._every and self._told < now.new and finished == now.total)):
            self._told = now.new
            self._line.clear()
            self._say(self._decided.by(now.finished), now.finished)
        self._line.show("match", finished, now.total, left=now.seconds_left, note=note(now, self._sprt))

    def end(self, folder: Path) -> None:
        """Report once more, on the games that were kept, where a sequential test has ended the match since."""
        if self._every and not self._verdict_told and (decisive := self._decided.by(games := read_games(folder))):
            self._say(decisive, games)

    def _say(self, decisive: Sequence[GameRecord] | None, finished: Sequence[GameRecord]) -> None:
        """Report on the games that decide the match, or else on all that count so far, complete pairs without a gap,
        where these are more than before.
        """
        self._verdict_told = decisive is not None
        counted = complete_pairs(finished) if decisive is None else decisive
        if len(counted) == self._counted and not self._verdict_told:
            return  # a long game holds up those after it
        self._counted = len(counted)
        for text in cutechess_lines(counted, self._sprt):
            self._console.print(text, soft_wrap=True)


def note(now: MatchProgress[GameRecord], sprt: Sprt | None = None) -> str:
    """What is known of a match so far: who leads by how much, how the sequential test stands, how fast it goes."""
    games = complete_pairs(now.finished)
    share = percent(tally_games(games).share, sample_of(games).sample_error)
    parts = [f"focal {share}"] if len(games) >= 8 else []
    if sprt:
        parts.append(str(sprt.standing(tally_pairs(games))))
    if now.speed.seconds:
        parts.append(f"{now.speed.per_second(now.speed.plies):.0f} plies/s")
    if now.speed.nets:
        parts.append(now.speed.note)
    if now.workers > 1:
        parts.append(f"{now.workers} workers")
    return "  ".join(parts)


def say_stand_ins(configs: Iterable[msgspec.Struct], console: Console) -> None:
    """Say which nets play in place of nets that are not on this machine."""
    for wanted, found in sorted(set().union(*map(stand_ins, configs))):
        console.print(f"{wanted} is not on this machine: {found} plays in its place", style="yellow")
        advice = f"  (foible nets get {wanted}, or name its folder in FOIBLE_NETS)"
        console.print(advice, style="yellow")


PRESETS_EXAMPLES = examples(
    "foible presets", "foible presets stt-exp > exp.toml && foible match exp.toml --games 20 --effort 0.02"
)

OURS = "ours"
"""The source of presets that do not come from a paper."""


def presets(
    name: Annotated[
        str | None, typer.Argument(help="Write this one as a configuration file.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """The matches that come with foible: some of its own, and every experiment of the papers.

    `foible match --preset NAME` plays one. With a NAME its configuration is written to the output, every default
    spelled out: a start for one of your own.
    """
    if name is None:
        _list(as_json)
    elif as_json:
        print_json(to_toml_dict(read_preset(name)))
    else:
        config = tomli_w.dumps(without_none(to_toml_dict(read_preset(name))))
        sys.stdout.write(_about(name) + config)


def _entries() -> list[dict[str, str]]:
    """The entries of the list of presets: foible's own matches, then those of the papers."""
    own = [{"name": name, "source": OURS, "what": what, "published": ""} for name, what in own_presets().items()]
    papers = [
        {"name": name, "source": one.source, "what": one.what, "published": ", ".join(map(str, one.published))}
        for name, one in EXPERIMENTS.items()
    ]
    return own + papers


def _about(name: str) -> str:
    """A comment line of TOML that says what the configuration of a preset is."""
    found = next(entry for entry in _entries() if entry["name"] == name)
    published = f"; published: {found['published']}" if found["published"] else ""
    return f"# {name}: {found['what']} ({found['source']}{published})\n\n"


def _list(as_json: bool) -> None:
    if as_json:
        print_json(_entries())
        return
    rows = [(one["name"], one["what"], one["published"] or None, one["source"]) for one in _entries()]
    columns = ("preset", "match", "published", "source")
    print_table("Presets, and the published share of the focal team in %", columns, rows, left=4)
