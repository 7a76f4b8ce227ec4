"""The commands, and the app that knows them.

Only the module of the command that was asked for is imported: nets and their runtimes take half a second, and
`foible --help` should answer at once.
"""

from importlib import import_module

import typer
from rich.markup import escape

COMMANDS = {
    "match": ("match", "Play two teams against each other."),
    "sweep": ("sweep", "A grid of matches: players, visits, opponents."),
    "analyse": ("analyse", "Who lost how much in the games of a run, or of a PGN file."),
    "train": ("train", "Train a net from games, or fine-tune one."),
    "experts": ("experts", "Nets by phase: train them, measure them, play them against one net."),
    "attune": ("attune", "Make a net that knows its partner, and test it."),
    "selfplay": ("selfplay", "Play a net against itself: games and searches as data."),
    "games": ("games", "Statistics of PGN games: results, repetition, ends, openings, complications."),
    "presets": ("presets", "The matches that come with foible: the papers' experiments."),
    "explain": ("explain", "What our moves are worth against a player who errs."),
    "eval": ("evaluate", "What a net says of positions."),
    "phases": ("phases", "The game phase of positions."),
    "search": ("search", "Search positions."),
    "uci": ("uci", "A chess engine for interfaces that speak UCI."),
    "gtp": ("gtp", "A Go engine for interfaces that speak GTP."),
    "go": ("go", "Go with a margin: train nets from random play, match them, look into them."),
    "nets": ("nets", "The nets that can be named: list, show, get, export."),
    "prep": ("prep", "Prepare against a player: the lines in which they err."),
    "puzzles": ("puzzles", "Find puzzles in games and positions."),
    "puzzle-ratings": ("puzzle_ratings", "How hard puzzles are for people, and how well that is foretold."),
    "model": ("model", "Models of players: how well they predict, at what level players play."),
    "stats": ("stats", "Statistics of matches."),
    "perft": ("perft", "Count move sequences."),
    "bench": ("bench", "How fast this machine is: nets, search, tree, pgn."),
    "version": ("version", "Versions of foible and of what it runs on."),
}
"""By name: the module in this package, and its one line of help.

A module `x` holds the command's function, or the app of its subcommands, under the name `x`; a function's epilog is
the module's `EPILOG`.
"""


def build(command: str | None = None) -> typer.Typer:
    """The app, with one command in full and the others by their one line of help."""
    app = typer.Typer(
        help="Game search that knows its players err.",
        epilog="Each command explains itself: foible search --help",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    for name, (module, summary) in COMMANDS.items():
        if name == command:
            _add(app, name, module)
        else:
            app.command(name, help=summary)(_placeholder)
    return app


def _placeholder() -> None:
    raise AssertionError("the app was built for another command")


def _add(app: typer.Typer, name: str, module_name: str) -> None:
    module = import_module(f"{__package__}.{module_name}")
    found = getattr(module, module_name)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name)
    else:
        app.command(name, help=paragraphs(found.__doc__ or ""), epilog=module.EPILOG)(found)


def paragraphs(text: str) -> str:
    """A docstring as help: lines of a paragraph joined, brackets kept from being read as styles."""
    return escape("\n\n".join(" ".join(part.split()) for part in text.split("\n\n")))
