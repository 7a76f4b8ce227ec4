"""Expert iteration: a net learns what its own search finds, round by round."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.training.improve.config import (
        ImproveConfig as ImproveConfig,
        RoundMatch as RoundMatch,
        parse_config as parse_config,
        read_config as read_config,
    )
    from foible.training.improve.run import (
        ImproveProgress as ImproveProgress,
        ImproveReport as ImproveReport,
        Round as Round,
        improve as improve,
    )

__getattr__, __dir__ = face(__name__)
