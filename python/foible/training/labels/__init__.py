"""Labels positions with the judgement of teachers, as data to learn from: `label(config, folder)`."""

from foible.training.labels.config import LabelConfig, parse_teacher
from foible.training.labels.labelling import label
from foible.training.labels.run import LabelProgress, LabelReport
from foible.training.labels.teachers import (
    Asked,
    EngineTeacherSpec,
    Label,
    LevelsTeacherSpec,
    NetsTeacherSpec,
    SearchTeacherSpec,
    Teacher,
    TeacherSpec,
)

__all__ = [
    "Asked",
    "EngineTeacherSpec",
    "Label",
    "LabelConfig",
    "LabelProgress",
    "LabelReport",
    "LevelsTeacherSpec",
    "NetsTeacherSpec",
    "SearchTeacherSpec",
    "Teacher",
    "TeacherSpec",
    "label",
    "parse_teacher",
]
