"""Statistics of games: results, repetition, ends, openings, material and complications.

`read_files` reads the games of PGN files and computes their statistics, `printed_tables` gives these as tables, and
`write` writes them into a folder.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.analysis.games.game_facts import GameFacts, facts_of
    from foible.analysis.games.game_files import GameFiles, GameSet, read_files
    from foible.analysis.games.games_report import files_json, games_csv, games_line, write
    from foible.analysis.games.games_summary import Summary, summarise
    from foible.analysis.games.games_tables import printed_tables, tables_of
    from foible.analysis.games.opening_names import NO_TABLE, NamedOpening, OpeningNames, read_openings

__all__ = [
    "NO_TABLE",
    "GameFacts",
    "GameFiles",
    "GameSet",
    "NamedOpening",
    "OpeningNames",
    "Summary",
    "facts_of",
    "files_json",
    "games_csv",
    "games_line",
    "printed_tables",
    "read_files",
    "read_openings",
    "summarise",
    "tables_of",
    "write",
]

_HOMES = {
    "foible.analysis.games.game_facts": ["GameFacts", "facts_of"],
    "foible.analysis.games.game_files": ["GameFiles", "GameSet", "read_files"],
    "foible.analysis.games.games_report": ["files_json", "games_csv", "games_line", "write"],
    "foible.analysis.games.games_summary": ["Summary", "summarise"],
    "foible.analysis.games.games_tables": ["printed_tables", "tables_of"],
    "foible.analysis.games.opening_names": ["NO_TABLE", "NamedOpening", "OpeningNames", "read_openings"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
