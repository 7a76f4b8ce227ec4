"""External engines that speak UCI or GTP: their processes, what they are asked, what they answer."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.engines.gtp import GtpBoard as GtpBoard, GtpProcess as GtpProcess, RefusedError as RefusedError
    from foible.engines.pool import EnginePool as EnginePool, EnginesSpec as EnginesSpec, open_engines as open_engines
    from foible.engines.process import (
        EngineMove as EngineMove,
        EngineProcess as EngineProcess,
        NoAnswerError as NoAnswerError,
        Option as Option,
    )
    from foible.engines.programs import installed_stockfish as installed_stockfish, program_path as program_path
    from foible.engines.search import (
        SearchAnswer as SearchAnswer,
        SearchCommand as SearchCommand,
        Variation as Variation,
        go_command as go_command,
        read_answer as read_answer,
    )

__getattr__, __dir__ = face(__name__)
