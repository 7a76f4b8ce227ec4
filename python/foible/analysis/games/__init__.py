"""Statistics of games: results, repetition, ends, openings, material and complications.

`read_files` reads the games of PGN files and computes their statistics, `printed_tables` gives these as tables, and
`write` writes them into a folder.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.games.game_facts import GameFacts as GameFacts, facts_of as facts_of
    from foible.analysis.games.game_files import GameFiles as GameFiles, GameSet as GameSet, read_files as read_files
    from foible.analysis.games.games_report import (
        files_json as files_json,
        games_csv as games_csv,
        games_line as games_line,
        write as write,
    )
    from foible.analysis.games.games_summary import Summary as Summary, summarise as summarise
    from foible.analysis.games.games_tables import printed_tables as printed_tables, tables_of as tables_of
    from foible.analysis.games.opening_names import (
        NO_TABLE as NO_TABLE,
        NamedOpening as NamedOpening,
        OpeningNames as OpeningNames,
        read_openings as read_openings,
    )

__getattr__, __dir__ = face(__name__)
