"""External engines that speak UCI or GTP: their processes, what they are asked, what they answer."""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.engines.gtp import GtpBoard, GtpProcess, RefusedError
    from foible.engines.pool import EnginePool, EnginesSpec, open_engines
    from foible.engines.process import EngineMove, EngineProcess, NoAnswerError, Option
    from foible.engines.programs import installed_stockfish, program_path
    from foible.engines.search import SearchAnswer, SearchCommand, Variation, go_command, read_answer

__all__ = [
    "EngineMove",
    "EnginePool",
    "EngineProcess",
    "EnginesSpec",
    "GtpBoard",
    "GtpProcess",
    "NoAnswerError",
    "Option",
    "RefusedError",
    "SearchAnswer",
    "SearchCommand",
    "Variation",
    "go_command",
    "installed_stockfish",
    "open_engines",
    "program_path",
    "read_answer",
]

_HOMES = {
    "foible.engines.gtp": ["GtpBoard", "GtpProcess", "RefusedError"],
    "foible.engines.pool": ["EnginePool", "EnginesSpec", "open_engines"],
    "foible.engines.process": ["EngineMove", "EngineProcess", "NoAnswerError", "Option"],
    "foible.engines.programs": ["installed_stockfish", "program_path"],
    "foible.engines.search": ["SearchAnswer", "SearchCommand", "Variation", "go_command", "read_answer"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
