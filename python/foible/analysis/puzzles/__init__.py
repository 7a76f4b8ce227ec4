"""Puzzles: the criterion for them, their mining, rating and themes, and the files that hold them
(search-contempt §5).

`mine` finds puzzles in games, with `Tools` that search positions, and keeps them in a `MiningJournal`; `MiningParts`
divides that work among workers, which get their settings as a `Mining`. A `Deck` is for training with puzzles,
scheduled by FSRS.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.analysis.puzzles.criterion import Criterion, Looks, SearchView
    from foible.analysis.puzzles.deck_making import Making, make_deck
    from foible.analysis.puzzles.difficulty import LEVELS, RatingCheck, check_ratings, fit_weights, human_nets
    from foible.analysis.puzzles.mining import SEARCH, MiningJournal, mine
    from foible.analysis.puzzles.mining_parts import Mining, MiningParts
    from foible.analysis.puzzles.mining_sources import Census, expand, take_census
    from foible.analysis.puzzles.mining_stages import REASONS, Tools
    from foible.analysis.puzzles.puzzle import GRADES, UNTRIED, Assessment, Grade, Puzzle, Reception, grade, try_move
    from foible.analysis.puzzles.puzzle_files import solution_text, write_all, write_page, write_pgn
    from foible.analysis.puzzles.puzzle_table import read_table, write_table
    from foible.analysis.puzzles.themes import themes_of
    from foible.analysis.puzzles.training_deck import Counts, Day, Deck, Review, find_decks, read_puzzles

__all__ = [
    "GRADES",
    "LEVELS",
    "REASONS",
    "SEARCH",
    "UNTRIED",
    "Assessment",
    "Census",
    "Counts",
    "Criterion",
    "Day",
    "Deck",
    "Grade",
    "Looks",
    "Making",
    "Mining",
    "MiningJournal",
    "MiningParts",
    "Puzzle",
    "RatingCheck",
    "Reception",
    "Review",
    "SearchView",
    "Tools",
    "check_ratings",
    "expand",
    "find_decks",
    "fit_weights",
    "grade",
    "human_nets",
    "make_deck",
    "mine",
    "read_puzzles",
    "read_table",
    "solution_text",
    "take_census",
    "themes_of",
    "try_move",
    "write_all",
    "write_page",
    "write_pgn",
    "write_table",
]

_HOMES = {
    "foible.analysis.puzzles.criterion": ["Criterion", "Looks", "SearchView"],
    "foible.analysis.puzzles.deck_making": ["Making", "make_deck"],
    "foible.analysis.puzzles.difficulty": ["LEVELS", "RatingCheck", "check_ratings", "fit_weights", "human_nets"],
    "foible.analysis.puzzles.mining": ["MiningJournal", "SEARCH", "mine"],
    "foible.analysis.puzzles.mining_parts": ["Mining", "MiningParts"],
    "foible.analysis.puzzles.mining_sources": ["Census", "expand", "take_census"],
    "foible.analysis.puzzles.mining_stages": ["REASONS", "Tools"],
    "foible.analysis.puzzles.puzzle": [
        "GRADES",
        "Grade",
        "Puzzle",
        "Reception",
        "UNTRIED",
        "Assessment",
        "grade",
        "try_move",
    ],
    "foible.analysis.puzzles.puzzle_files": ["solution_text", "write_all", "write_page", "write_pgn"],
    "foible.analysis.puzzles.puzzle_table": ["read_table", "write_table"],
    "foible.analysis.puzzles.themes": ["themes_of"],
    "foible.analysis.puzzles.training_deck": ["Counts", "Day", "Deck", "Review", "find_decks", "read_puzzles"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
