"""Puzzles: the criterion for them, their mining, rating and themes, and the files that hold them
(search-contempt §5).

`mine` finds puzzles in games, with `Tools` that search positions, and keeps them in a `MiningJournal`; `MiningParts`
divides that work among workers, which get their settings as a `Mining`. A `Deck` is for training with puzzles,
scheduled by FSRS.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.puzzles.criterion import Criterion as Criterion, Looks as Looks, SearchView as SearchView
    from foible.analysis.puzzles.deck_making import Making as Making, make_deck as make_deck
    from foible.analysis.puzzles.difficulty import (
        LEVELS as LEVELS,
        RatingCheck as RatingCheck,
        check_ratings as check_ratings,
        fit_weights as fit_weights,
        human_nets as human_nets,
    )
    from foible.analysis.puzzles.mining import SEARCH as SEARCH, MiningJournal as MiningJournal, mine as mine
    from foible.analysis.puzzles.mining_parts import Mining as Mining, MiningParts as MiningParts
    from foible.analysis.puzzles.mining_sources import Census as Census, expand as expand, take_census as take_census
    from foible.analysis.puzzles.mining_stages import REASONS as REASONS, Tools as Tools
    from foible.analysis.puzzles.puzzle import (
        GRADES as GRADES,
        UNTRIED as UNTRIED,
        Assessment as Assessment,
        Grade as Grade,
        Puzzle as Puzzle,
        Reception as Reception,
        grade as grade,
        try_move as try_move,
    )
    from foible.analysis.puzzles.puzzle_files import (
        solution_text as solution_text,
        write_all as write_all,
        write_page as write_page,
        write_pgn as write_pgn,
    )
    from foible.analysis.puzzles.puzzle_table import read_table as read_table, write_table as write_table
    from foible.analysis.puzzles.themes import themes_of as themes_of
    from foible.analysis.puzzles.training_deck import (
        Counts as Counts,
        Day as Day,
        Deck as Deck,
        Review as Review,
        find_decks as find_decks,
        read_puzzles as read_puzzles,
    )

__getattr__, __dir__ = face(__name__)
