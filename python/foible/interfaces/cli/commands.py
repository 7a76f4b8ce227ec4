"""The table of all commands, and the app that is built from it.

Only the module of the command that was asked for is imported: nets and their runtimes take half a second, and
`foible --help` should answer at once.
"""

from importlib import import_module

import typer
from rich.markup import escape

PANELS = {
    "Play": {
        "demo": ("demo.demo", "A match in a minute that shows what foible is about."),
        "play": ("play.play", "Play yourself: against nets and engines, beside one, or as its hand or brain."),
        "web": ("web.web", "foible in the browser: play, explain, watch runs."),
        "drill": ("drill.drill", "Train with puzzles: a deck, each puzzle due when it is likely to be forgotten."),
        "uci": ("uci.uci", "A chess engine for interfaces that speak UCI."),
    },
    "Understand games and players": {
        "explain": ("explain.explain", "What our moves are worth against a player who errs."),
        "prep": ("prep.prep", "Prepare against a player: the lines in which they err."),
        "analyse": ("analyse.analyse", "Who lost how much in the games of a run, or of a PGN file."),
        "games": ("games.games", "Statistics of PGN games: results, repetition, ends, openings, complications."),
        "openings": ("openings.openings", "What games did in a position: moves, how often, how they scored."),
        "puzzles": ("puzzles.puzzles", "Find puzzles in games and positions."),
        "puzzle-ratings": (
            "puzzles.puzzle_ratings",
            "How hard puzzles are for people, and how well that is predicted.",
        ),
        "model": ("model.model", "Models of players: how well they predict, at what level players play."),
    },
    "Positions": {
        "eval": ("positions.evaluate", "What a net says of positions."),
        "search": ("positions.search", "Search positions."),
        "phases": ("positions.phases", "The game phase of positions."),
        "perft": ("perft.perft", "Count move sequences."),
    },
    "Matches": {
        "match": ("match.match", "Play two teams against each other."),
        "sweep": ("sweep.sweep", "Play a grid of matches: players, visits, opponents."),
        "presets": ("match.presets", "The matches that come with foible: the papers' experiments."),
        "papers": ("papers.papers", "The papers' claims: how they stand, and what is to be played for them."),
        "stats": ("stats.stats", "Statistics of matches."),
    },
    "Nets": {
        "nets": ("nets.nets", "The nets that can be named: list, show, get, export, precisions; mixtures: gate."),
        "label": ("label.label", "What a teacher says of positions, as data to train on."),
        "train": ("training.train", "Train a net from games, or fine-tune one."),
        "improve": ("training.improve", "Make a net stronger by its own search, round by round."),
        "experts": ("training.experts", "Train and compare nets that each know one phase of the game."),
        "attune": ("attune.attune", "Make a net that knows its partner, and test it."),
        "selfplay": ("selfplay.selfplay", "Play a net against itself: games and searches as data."),
    },
    "Go": {
        "go": ("go.go", "Go with a margin: train nets from random play, match them, look into them."),
        "gtp": ("gtp.gtp", "A Go engine for interfaces that speak GTP."),
    },
    "This machine": {
        "doctor": ("doctor.doctor", "What foible finds on this machine, what is broken, what would make it faster."),
        "bench": ("bench.bench", "How fast this machine is: nets, search, whole matches, tree, pgn."),
        "version": ("doctor.version", "Versions of foible and of what it runs on."),
    },
}
"""The commands by the panel of `foible --help` in which they stand, and by name: the place in this package of the
function, or of the app of subcommands, and a line of help.

The epilog of a function `x` is `X_EXAMPLES` in the same module.
"""

COMMANDS = {name: command for commands in PANELS.values() for name, command in commands.items()}
"""The commands by name."""

WHOLE_EXTRAS = {"web": "web", "train": "train", "improve": "train", "experts": "train", "attune": "train"}
"""The extra to install for commands that need two extras, of which this one brings both."""

ANY_WORDS = {"allow_extra_args": True}
"""Settings of a command that lets any words stand before `--help`, as those of a subcommand may."""


def build(command: str | None = None, *, without: str = "") -> typer.core.TyperGroup:
    """`foible`, with one command in full and the others by their one line of help.

    `without`: says what the command lacks; then it too has only its line of help, followed by this.
    """
    app = typer.Typer(
        help="Game search that knows its players err.",
        epilog="Each command explains itself: foible search --help. The version: foible --version",
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    for panel, commands in PANELS.items():
        for name, (place, summary) in commands.items():
            if name == command and without:
                add = app.command(name, help=summary, epilog=escape(without), context_settings=ANY_WORDS)
                add(_placeholder)
            elif name == command:
                _add(app, name, place)
            else:
                app.command(name, help=summary, rich_help_panel=panel)(_placeholder)
    group = typer.main.get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    _show_flags_without_values(typer.Context(group, **group.context_settings))
    return group


def _placeholder() -> None:
    raise AssertionError("the app was built for another command")


def _add(app: typer.Typer, name: str, place: str) -> None:
    module_name, _, attribute = place.rpartition(".")
    module = import_module(f"{__package__}.{module_name}")
    found = getattr(module, attribute)
    if isinstance(found, typer.Typer):
        for command in found.registered_commands:
            command.help = paragraphs(command.callback.__doc__ or "")
        app.add_typer(found, name=name)
    else:
        epilog = getattr(module, f"{attribute.upper()}_EXAMPLES")
        app.command(name, help=paragraphs(found.__doc__ or ""), epilog=epilog)(found)


def _show_flags_without_values(context: typer.Context) -> None:
    """For a command and its subcommands: typer's help has a `<bool>` beside each flag, as if a value followed it."""
    for param in context.command.get_params(context):
        if isinstance(param, typer.core.TyperOption) and param.is_flag:
            param.metavar = ""
    for name, command in getattr(context.command, "commands", {}).items():
        _show_flags_without_values(typer.Context(command, parent=context, info_name=name))


def paragraphs(text: str) -> str:
    """A docstring as help: lines of a paragraph joined, brackets kept from being read as styles."""
    return escape("\n\n".join(" ".join(part.split()) for part in text.split("\n\n")))
