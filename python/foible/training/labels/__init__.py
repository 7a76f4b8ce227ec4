"""Labels positions with the judgement of teachers, as data to learn from: `label(config, folder)`."""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.training.labels.config import LabelConfig as LabelConfig, parse_teacher as parse_teacher
    from foible.training.labels.labelling import label as label
    from foible.training.labels.run import LabelProgress as LabelProgress, LabelReport as LabelReport
    from foible.training.labels.teachers import (
        Asked as Asked,
        EngineTeacherSpec as EngineTeacherSpec,
        Label as Label,
        LevelsTeacherSpec as LevelsTeacherSpec,
        NetsTeacherSpec as NetsTeacherSpec,
        SearchTeacherSpec as SearchTeacherSpec,
        Teacher as Teacher,
        TeacherSpec as TeacherSpec,
    )

__getattr__, __dir__ = face(__name__)
