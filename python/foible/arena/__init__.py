"""Matches: teams, openings, referees, run folders, and honest statistics.

`read_config` or `read_preset` and `foible.play` play a match in a run folder; `chess_match` plays two players without
one. A `Match` knows no game: the `Referee` does.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.arena.adjudication import DrawAgreement, Manners, Resignation, Tablebases, Tables, open_tablebases
    from foible.arena.bitstrings import Bitstrings, FairCoins
    from foible.arena.chess import ChessReferee, ChessRules
    from foible.arena.clocks import Clocks, TimeControl
    from foible.arena.config import (
        CoinsConfig,
        MatchConfig,
        OpeningsConfig,
        parse_config,
        preset_names,
        read_config,
        read_preset,
        with_changes,
    )
    from foible.arena.elo import Elo, Scoreline, elo_of_share, estimate_elo, scoreline, share_of_elo, superiority
    from foible.arena.frameworks import (
        Framework,
        OddsSuite,
        PlannedGame,
        Starts,
        hand_brain,
        odds_chess,
        standard,
        tag_team,
    )
    from foible.arena.losses import RoleLoss, role_losses
    from foible.arena.match import Game, Match, MatchProgress, Record, Referee, complete_pairs
    from foible.arena.openings import Opening, OpeningSuite, find_openings, read_openings
    from foible.arena.pairwise import EloRatings, Pairwise, Transitivity, pairwise_of, ratings, transitivity
    from foible.arena.pgn import read_records, to_pgn
    from foible.arena.play import MatchFolder, chess_match
    from foible.arena.record import GameRecord, MoveRecord
    from foible.arena.report import Failures, MatchReport, report_on
    from foible.arena.session import GameSession, SavedGame
    from foible.arena.sprt import Sprt, SprtStanding, Verdict
    from foible.arena.standings import Standings, standings_of
    from foible.arena.stats import Share, Significance, Tally, clustered_error, t_test, tally_games, tally_pairs, z_test
    from foible.arena.store import read_games

__all__ = [
    "Bitstrings",
    "ChessReferee",
    "ChessRules",
    "Clocks",
    "CoinsConfig",
    "DrawAgreement",
    "Elo",
    "EloRatings",
    "Failures",
    "FairCoins",
    "Framework",
    "Game",
    "GameRecord",
    "GameSession",
    "Manners",
    "Match",
    "MatchConfig",
    "MatchFolder",
    "MatchProgress",
    "MatchReport",
    "MoveRecord",
    "OddsSuite",
    "Opening",
    "OpeningSuite",
    "OpeningsConfig",
    "Pairwise",
    "PlannedGame",
    "Record",
    "Referee",
    "Resignation",
    "RoleLoss",
    "SavedGame",
    "Scoreline",
    "Share",
    "Significance",
    "Sprt",
    "SprtStanding",
    "Standings",
    "Starts",
    "Tablebases",
    "Tables",
    "Tally",
    "TimeControl",
    "Transitivity",
    "Verdict",
    "chess_match",
    "clustered_error",
    "complete_pairs",
    "elo_of_share",
    "estimate_elo",
    "find_openings",
    "hand_brain",
    "odds_chess",
    "open_tablebases",
    "pairwise_of",
    "parse_config",
    "preset_names",
    "ratings",
    "read_config",
    "read_games",
    "read_openings",
    "read_preset",
    "read_records",
    "report_on",
    "role_losses",
    "scoreline",
    "share_of_elo",
    "standard",
    "standings_of",
    "superiority",
    "t_test",
    "tag_team",
    "tally_games",
    "tally_pairs",
    "to_pgn",
    "transitivity",
    "with_changes",
    "z_test",
]

_HOMES = {
    "foible.arena.adjudication": ["DrawAgreement", "Manners", "Resignation", "Tablebases", "Tables", "open_tablebases"],
    "foible.arena.bitstrings": ["Bitstrings", "FairCoins"],
    "foible.arena.chess": ["ChessReferee", "ChessRules"],
    "foible.arena.clocks": ["Clocks", "TimeControl"],
    "foible.arena.config": [
        "CoinsConfig",
        "MatchConfig",
        "OpeningsConfig",
        "parse_config",
        "preset_names",
        "read_config",
        "read_preset",
        "with_changes",
    ],
    "foible.arena.elo": [
        "Elo",
        "Scoreline",
        "elo_of_share",
        "estimate_elo",
        "scoreline",
        "share_of_elo",
        "superiority",
    ],
    "foible.arena.frameworks": [
        "Framework",
        "OddsSuite",
        "PlannedGame",
        "Starts",
        "hand_brain",
        "odds_chess",
        "standard",
        "tag_team",
    ],
    "foible.arena.losses": ["RoleLoss", "role_losses"],
    "foible.arena.match": ["Game", "Match", "MatchProgress", "Record", "Referee", "complete_pairs"],
    "foible.arena.openings": ["Opening", "OpeningSuite", "find_openings", "read_openings"],
    "foible.arena.pairwise": ["EloRatings", "Pairwise", "Transitivity", "pairwise_of", "ratings", "transitivity"],
    "foible.arena.pgn": ["read_records", "to_pgn"],
    "foible.arena.play": ["MatchFolder", "chess_match"],
    "foible.arena.record": ["GameRecord", "MoveRecord"],
    "foible.arena.report": ["Failures", "MatchReport", "report_on"],
    "foible.arena.session": ["GameSession", "SavedGame"],
    "foible.arena.sprt": ["Sprt", "SprtStanding", "Verdict"],
    "foible.arena.standings": ["Standings", "standings_of"],
    "foible.arena.stats": [
        "Share",
        "Significance",
        "Tally",
        "clustered_error",
        "t_test",
        "tally_games",
        "tally_pairs",
        "z_test",
    ],
    "foible.arena.store": ["read_games"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
