"""`foible go games --game`: one game of self-play, move by move."""

import re
from pathlib import Path

import msgspec

from foible.analysis.go.selfplay_line import Opinion, draw_line, whole_line
from foible.analysis.go.selfplay_run import SelfplayRun
from foible.analysis.go.selfplay_sgf import Origin, game_name, result, sgf_path, write_games
from foible.arena.go.cells import percent
from foible.errors import ConfigError
from foible.files import write_atomically
from foible.interfaces.cli.output import print_json, print_table
from foible.interfaces.cli.pictures import PictureFile
from foible.selfplay.go.record import GoGame, Id

COLUMNS = ("move", "", "komi", "margin", "beta", "net", "search", "visits")
MEANING = "before each move: Black's margin after komi, and Black's winrate by the net alone and by the search"


def show_game(run: SelfplayRun, text: str, sgf: Path | None, picture: PictureFile | None, *, as_json: bool) -> None:
    """Print a game, and draw and write it where that is asked for.

    :raises ConfigError: there is no such game, or it says nothing of margins and a picture is asked for.
    """
    number, name = _parsed(text)
    if number not in run.numbers:
        raise ConfigError(f"--game {text}: {run.folder} has no games of generation {number}")
    games = run.games(number)
    parents = {game.id: game for game in games}
    if name not in parents:
        raise ConfigError(f"--game {text}: generation {number} has no game {game_name(name)}")
    game = parents[name]
    line = whole_line(game, parents)
    notes = []
    if picture is not None:
        if not any(one.margin is not None for one in line):
            raise ConfigError(f"--game {text}: its net has a single value; there is no margin to draw")
        write_atomically(picture.path, draw_line(line, game.margin + game.komi, picture.kind))
        notes.append(f"picture: {picture.path}")
    if sgf is not None:
        write_games([game], Origin.of(run, number, games), sgf)
        notes.append(f"SGF: {sgf_path(sgf, number, name)}")
    if as_json:
        print_json(_plain(number, game, line))
        return
    ended = result(game.margin) if game.margin else "drawn"
    origin = f"; from move {len(game.inherited) + 1} on its own" if game.is_branch else ""
    title = f"generation {number}, game {game_name(name)}: {ended}{origin}"
    print_table(f"{title}\n{MEANING}", COLUMNS, map(_row, line), left=2, note="\n".join(notes))


def _parsed(text: str) -> tuple[int, Id]:
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9}(?:-\d{1,9})*)", text, re.ASCII)
    if found is None:
        raise ConfigError(f"--game {text}: expected GENERATION/GAME, as 12/21, or of a branch 12/21-0")
    return int(found[1]), tuple(map(int, found[2].split("-")))


def _row(one: Opinion) -> tuple[object, ...]:
    known = one.margin is not None
    return (
        one.ply + 1,
        f"{'White' if one.ply % 2 else 'Black'} {one.move}",
        f"{one.komi:g}",
        f"{one.margin:+z.2f}" if known else None,
        f"{one.beta:.3f}" if known else None,
        percent(one.net, None),
        percent(one.search, None),
        f"{one.visits.get(one.move, 0)} of {sum(one.visits.values())}",
    )


def _plain(number: int, game: GoGame, line: list[Opinion]) -> dict[str, object]:
    return {
        "generation": number,
        "game": game_name(game.id),
        "komi": game.komi,
        "margin": game.margin,
        "inherited": len(game.inherited),
        "moves": msgspec.to_builtins(line),
    }
