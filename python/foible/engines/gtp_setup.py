"""Go positions as GTP tells them: starts, stones and moves."""

from foible._core import GoPosition
from foible.games.go import chains, handicap_compensation


def start_commands(start: GoPosition, *, free_handicap: bool) -> list[str]:
    """What leads an engine to a position without moves: board, komi, stones.

    Black's stones with White to move are a handicap where the engine knows such: it then adds to the komi what the
    rules give White for them, so that what is agreed is told (SAI, §1.1). All other stones are played, those of a chain
    one beside the other from one with a liberty on: nothing is captured on the way.
    """
    black, white = start.setup
    komi, placing = start.komi, [f"play {colour} {stone}" for colour, chain in chains(start) for stone in chain]
    if free_handicap and len(black) > 1 and not white and start.first_mover == "white":
        komi -= handicap_compensation(start.rules, len(black))
        placing = [f"set_free_handicap {' '.join(black)}"]
    return [f"boardsize {start.size}", "clear_board", f"komi {komi:g}", *placing]
