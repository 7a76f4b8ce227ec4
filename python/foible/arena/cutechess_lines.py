"""How a match stands, in the lines that cutechess and fastchess write while they play."""

from collections.abc import Sequence

from foible.arena.elo import elo_margin, point_elo, superiority_of_decisive, winitzki_z
from foible.arena.match import complete_pairs
from foible.arena.record import GameRecord
from foible.arena.report import tally_games, tally_pairs
from foible.arena.sprt import Sprt


def cutechess_lines(games: Sequence[GameRecord], sprt: Sprt | None = None) -> list[str]:
    """Score, Elo and test of the finished games, of which there is one at least.

    Elo, its margin and the likelihood of superiority (LOS) are cutechess'. The test is on the first pairs without a
    gap, as that of the match itself.
    """
    first, tally = games[0], tally_games(games)
    focal, alter = (first.white, first.black) if first.focal_white else (first.black, first.white)
    losses, draws, wins = tally.counts
    likely = superiority_of_decisive(wins, losses)
    elo, margin = point_elo(tally), elo_margin(tally, winitzki_z())
    bound = "inf" if wins else "-inf"
    lines = [
        f"Score of {focal} vs {alter}: {wins} - {losses} - {draws}  [{tally.share or 0:.3f}] {tally.n}",
        f"...      Elo difference: {bound if elo is None else f'{elo:.1f}'}"
        f" +/- {'nan' if margin is None else f'{margin:.1f}'},"
        f" LOS: {100 * (0.5 if likely is None else likely):.1f} %, DrawRatio: {100 * draws / tally.n:.1f} %",
    ]
    if sprt:
        found = sprt.standing(tally_pairs(complete_pairs(games)))
        share = found.llr / (found.upper if found.llr > 0 else -found.lower)
        lines.append(
            f"SPRT: llr {found.llr:.3f} ({100 * share:.1f}%), lbound {found.lower:.3f}, ubound {found.upper:.3f}"
            + (f" - {found.verdict} was accepted" if found.decided else "")
        )
    return lines
