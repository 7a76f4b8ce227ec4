"""`foible papers`: how the papers' claims stand, what to play for them, and documents that show it."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from foible.errors import ConfigError, FoibleError
from foible.evidence.documents import apart, in_words, of_what, published, verdict, write
from foible.evidence.kinds import EvidenceProgress, Workplace
from foible.evidence.pictures import draw, draw_marked
from foible.evidence.run import FILE, HOUR, Missing, missing, read_plan, run as run_blocks
from foible.evidence.verdicts import VERDICTS, Row, by_table, compared, counts, standing
from foible.interfaces.cli.options import On
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, stopped
from foible.interfaces.cli.progress import progress_line
from foible.mistakes import near
from foible.scale import open_executor

EXAMPLES = examples(
    "foible papers",
    "foible papers --json",
    "foible papers table skill-compatible 'table 2'",
    "foible papers picture 'skill-compatible, table 1' --out table-1.svg",
    "foible papers run --plan",
    "foible papers run stt-tree stt-tree-losses --hours 2",
    "foible papers run --on ray",
    "foible papers write docs",
)


class TableUnlessNamed(TyperGroup):
    """The group of the subcommands, whose name and options may be left out where `table` is meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = bool(args) and (args[0] in ctx.help_option_names or not args[0].startswith("-"))
        return super().parse_args(ctx, args if named else ["table", *args])


papers = typer.Typer(
    cls=TableUnlessNamed,
    help="The claims of the papers: how they stand, and what is still to be played for them. "
    "Without a subcommand it is `table`, with its options.",
    epilog=EXAMPLES,
)

Evidence = Annotated[Path, typer.Option(help="Folder with the evidence and its plan.toml.")]
FOLDER = Path("evidence")
NOT_KEPT = "†"
"""Marks a number measured in games that are not kept here."""


@papers.command("table")
def table(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Words of the tables to show whole: SAI, “table 2”.", show_default=False),
    ] = None,
    evidence: Evidence = FOLDER,
    as_json: Json = False,
) -> None:
    """How the claims of each table stand: how many are confirmed; with words, what was published and what was found.

    ± is one standard error, by pairs of games. A claim is confirmed or refuted where chance alone would show as much in
    less than 5 of 100 tables (Holm's correction), or in 1 of 1000 while planned games are still to be played. Power is
    the probability that so many games show what was published, at the level that the other claims of the table leave
    to it. Whether ours agrees with the published figure is another question: it does up to 2 standard errors apart, and
    differs from 3 on. What is undecided would be decided, with a power of 0.8, by so many games in all, in so many
    hours of the machines that played so far.
    """
    rows = _chosen(standing(_there(evidence), read_plan(evidence / FILE)), words or ())
    if as_json:
        print_json(rows)
        return
    if not words:
        note = f"{_summary(rows)}\n`foible papers table WORDS` shows the claims of a table"
        columns = ("table", *VERDICTS, *compared(rows))
        print_table("The papers' claims", columns, _counts(rows), note=note)
        return
    columns = ("source", "claim", "verdict", "evidence", "published", "ours", "of", "apart")
    marked = (
        f"\n{NOT_KEPT} not of games that are kept here: --json says of what" if any(row.note for row in rows) else ""
    )
    note = _summary(rows) + marked
    print_table("The papers' claims", columns, _cells(rows), left=4, note=note, spare=("of", "evidence"))


@papers.command("picture")
def picture(
    out: Annotated[Path, typer.Option(help="The SVG to write.", show_default=False)],
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Words of the tables to draw, as in `table`.", show_default=False),
    ] = None,
    evidence: Evidence = FOLDER,
) -> None:
    """Draw what was published and what was found, one claim below the other.

    Claims that nothing was found of yet are left out. ± is one standard error, by pairs of games.
    """
    draw(_chosen(standing(_there(evidence), read_plan(evidence / FILE)), words or ()), out)


@papers.command("run")
def run(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments; all of the plan when absent.", show_default=False)
    ] = None,
    hours: Annotated[float, typer.Option(min=0.0, help="No block is begun after so long.")] = math.inf,
    evidence: Evidence = FOLDER,
    work: Annotated[Path, typer.Option(help="Where the run folders of the blocks are made.")] = Path("runs/papers"),
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what comes next and what it costs.")] = False,
    on: On = "inline",
    as_json: Json = False,
) -> None:
    """Play and measure what is missing, block by block, the cheapest information first, and file each block as it ends.

    How many games an experiment gets is fixed in plan.toml. What cannot be run here, for want of an engine or a net, is
    said and passed over. Ctrl-C stops after the current move; the same command goes on, and on another machine it goes
    on from what is filed.
    """
    plan = read_plan(_there(evidence) / FILE)
    for name in names or ():
        if name not in plan:
            raise ConfigError(f"{name!r} is not in {evidence / FILE}: {near(name, plan)}")
    if plan_only:
        _show(missing(evidence, plan, names or ()), as_json)
        return
    console = Console(stderr=True, highlight=False)
    with open_executor(on) as executor, progress_line("") as line:

        def tell(now: EvidenceProgress) -> None:
            line.show(now.experiment, now.done, now.total, note=now.note, left=now.left)

        workplace, filed, passed_over = Workplace(work, tell, executor), 0, list[str]()
        for block, place in run_blocks(evidence, plan, workplace, names or (), seconds=hours * HOUR):
            line.clear()
            if place is None:
                stopped(f"in {_units(block)} of {block.experiment}")
            if isinstance(place, FoibleError):
                passed_over.append(block.experiment)
                said = f"passed over: {place}"
            else:
                filed += 1
                said = f"{_units(block)} filed in {place}"
            console.print(f"{block.experiment}: {said}", soft_wrap=True)
    if passed_over and not filed:
        raise ConfigError(f"nothing could be run; passed over: {', '.join(passed_over)}")
    if passed_over:
        console.print(f"passed over: {', '.join(passed_over)}", soft_wrap=True)


@papers.command("write")
def write_documents(
    folder: Annotated[Path, typer.Argument(help="Documents in Markdown.", show_default=False)],
    evidence: Evidence = FOLDER,
) -> None:
    """Write what documents show of the evidence anew.

    These are the tables between `<!-- evidence: TABLE -->` and `<!-- end of evidence -->`, and, in folders below as
    well, the pictures that come after `<!-- picture: TABLE -->`.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder; expected one with documents in Markdown")
    rows = standing(_there(evidence), read_plan(evidence / FILE))
    changed = [*write(folder, rows), *draw_marked(folder, rows)]
    Console(highlight=False).print("\n".join(map(str, changed)) or "nothing has changed")


def _there(evidence: Path) -> Path:
    if not (evidence / FILE).is_file():
        raise ConfigError(
            f"{evidence / FILE} is not there; expected the folder `evidence` of foible's repository (--evidence FOLDER)"
        )
    return evidence


def _chosen(rows: Sequence[Row], words: Sequence[str]) -> Sequence[Row]:
    """The rows whose source equals the words; where there are none, those whose source contains all of the words."""
    whole = " ".join(words).lower()
    found = [row for row in rows if row.claim.source.lower() == whole] or [
        row for row in rows if all(word.lower() in row.claim.source.lower() for word in words)
    ]
    if not found:
        sources = dict.fromkeys(row.claim.source for row in rows)
        raise ConfigError(
            f"no table has {' and '.join(map(repr, words))}; expected words of one of: {'; '.join(sources)}"
        )
    return found


def _cells(rows: Sequence[Row]) -> Iterator[tuple[object, ...]]:
    """The cells of each row; only the first row of each published table names the source."""
    above = ""
    for row in rows:
        claim = row.claim
        source = "" if claim.source == above else claim.source
        above = claim.source
        evidence = claim.evidence if claim.less is None else f"{claim.evidence} − {claim.less}"
        of = f"{of_what(row)}{NOT_KEPT if row.note else ''}" or None
        ours = in_words(row.ours, claim.unit)
        yield source, claim.what, verdict(row), evidence, published(row), ours, of, apart(row) or None


def _counts(rows: Sequence[Row]) -> Iterator[tuple[object, ...]]:
    """For each published table how many of its claims have each verdict, and how many figures agree; nothing for 0."""
    for source, of_table in by_table(rows).items():
        yield source, *(count or "" for count in [*counts(of_table).values(), *compared(of_table).values()])


def _summary(rows: Sequence[Row]) -> str:
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts(rows).items())
    agree, differ = compared(rows).values()
    return f"{len(rows)} claims: {verdicts}; of the published figures {agree} agree with ours, {differ} differ"


def _show(waiting: Sequence[Missing], as_json: bool) -> None:
    if as_json:
        print_json([_plain(block) for block in waiting])
        return
    rows = (
        (
            block.experiment,
            _units(block),
            block.filed,
            block.seconds and f"{block.seconds / 60:.0f}",
            block.hours and f"{block.hours:.1f}",
        )
        for block in waiting
    )
    hours = [block.hours for block in waiting if block.hours is not None]
    unknown = len(waiting) - len(hours)
    note = f"{len(waiting)} experiments, {sum(hours):.0f} hours" + (
        f", and {unknown} of unknown cost" if unknown else ""
    )
    columns = ("experiment", "next", "blocks filed", "minutes", "hours for all")
    print_table("What comes next", columns, rows, note=note)


def _plain(block: Missing) -> dict[str, object]:
    return {
        "experiment": block.experiment,
        "unit": block.unit,
        "first": block.units.start,
        "units": len(block.units),
        "filed": block.filed,
        "seconds": block.seconds,
        "hours": block.hours,
    }


def _units(block: Missing) -> str:
    """The units of a block, such as `pairs 0 to 19`."""
    last = block.units.stop - 1
    numbers = f"{block.units.start} to {last}" if len(block.units) > 1 else str(last)
    return f"{block.unit} {numbers}"
