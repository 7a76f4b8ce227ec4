"""Matches: teams, openings, referees, run folders, and honest statistics.

`read_config` or `read_preset` and `foible.play` play a match in a run folder; `chess_match` plays two players without
one. A `Match` knows no game: the `Referee` does.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.arena.adjudication import (
        DrawAgreement as DrawAgreement,
        Manners as Manners,
        Resignation as Resignation,
        Tablebases as Tablebases,
        Tables as Tables,
        open_tablebases as open_tablebases,
    )
    from foible.arena.bitstrings import Bitstrings as Bitstrings, FairCoins as FairCoins
    from foible.arena.chess import ChessReferee as ChessReferee, ChessRules as ChessRules
    from foible.arena.clocks import Clocks as Clocks, TimeControl as TimeControl
    from foible.arena.config import (
        CoinsConfig as CoinsConfig,
        MatchConfig as MatchConfig,
        OpeningsConfig as OpeningsConfig,
        parse_config as parse_config,
        preset_names as preset_names,
        read_config as read_config,
        read_preset as read_preset,
        with_changes as with_changes,
    )
    from foible.arena.elo import (
        Elo as Elo,
        Scoreline as Scoreline,
        elo_of_share as elo_of_share,
        estimate_elo as estimate_elo,
        scoreline as scoreline,
        share_of_elo as share_of_elo,
        superiority as superiority,
    )
    from foible.arena.frameworks import (
        Framework as Framework,
        OddsSuite as OddsSuite,
        PlannedGame as PlannedGame,
        Starts as Starts,
        hand_brain as hand_brain,
        odds_chess as odds_chess,
        standard as standard,
        tag_team as tag_team,
    )
    from foible.arena.game_slots import GameSlots as GameSlots
    from foible.arena.losses import RoleLoss as RoleLoss, role_losses as role_losses
    from foible.arena.match import (
        Game as Game,
        Match as Match,
        Record as Record,
        Referee as Referee,
        complete_pairs as complete_pairs,
    )
    from foible.arena.openings import (
        Opening as Opening,
        OpeningSuite as OpeningSuite,
        find_openings as find_openings,
        read_openings as read_openings,
    )
    from foible.arena.pairwise import (
        EloRatings as EloRatings,
        Pairwise as Pairwise,
        Transitivity as Transitivity,
        pairwise_of as pairwise_of,
        ratings as ratings,
        transitivity as transitivity,
    )
    from foible.arena.pgn import read_records as read_records, to_pgn as to_pgn
    from foible.arena.pgn_results import (
        Encounter as Encounter,
        Encounters as Encounters,
        encounters as encounters,
    )
    from foible.arena.play import MatchFolder as MatchFolder, chess_match as chess_match
    from foible.arena.progress import MatchProgress as MatchProgress
    from foible.arena.record import GameRecord as GameRecord, MoveRecord as MoveRecord
    from foible.arena.report import Failures as Failures, MatchReport as MatchReport, report_on as report_on
    from foible.arena.session import GameSession as GameSession, SavedGame as SavedGame
    from foible.arena.sprt import Sprt as Sprt, SprtStanding as SprtStanding, Verdict as Verdict
    from foible.arena.standings import Standings as Standings, standings_of as standings_of
    from foible.arena.stats import (
        Share as Share,
        Significance as Significance,
        Tally as Tally,
        clustered_error as clustered_error,
        t_test as t_test,
        tally_games as tally_games,
        tally_pairs as tally_pairs,
        z_test as z_test,
    )
    from foible.arena.store import read_games as read_games

__getattr__, __dir__ = face(__name__)
