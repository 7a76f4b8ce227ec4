"""Puzzles: what they are, how they are found and rated, how their themes are told, the files that hold them
(search-contempt §5).

`mine` finds puzzles in games, with `Tools` that look at positions, and keeps them in a `Journal`.
"""

from foible.analysis.puzzles.criterion import Criterion, Looks, View
from foible.analysis.puzzles.difficulty import LEVELS, RatingCheck, check_ratings, fit_weights, human_nets
from foible.analysis.puzzles.mining import SEARCH, Journal, mine
from foible.analysis.puzzles.mining_sources import Census, expand, take_census
from foible.analysis.puzzles.mining_stages import REASONS, Tools
from foible.analysis.puzzles.puzzle import UNTRIED, Puzzle, Reception
from foible.analysis.puzzles.puzzle_files import read_table, solution_text, write_page, write_pgn, write_table
from foible.analysis.puzzles.themes import themes_of

__all__ = [
    "LEVELS",
    "REASONS",
    "SEARCH",
    "UNTRIED",
    "Census",
    "Criterion",
    "Journal",
    "Looks",
    "Puzzle",
    "RatingCheck",
    "Reception",
    "Tools",
    "View",
    "check_ratings",
    "expand",
    "fit_weights",
    "human_nets",
    "mine",
    "read_table",
    "solution_text",
    "take_census",
    "themes_of",
    "write_page",
    "write_pgn",
    "write_table",
]
