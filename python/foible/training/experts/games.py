"""Games that are read once for all trainings."""

from dataclasses import replace

from foible.errors import GameFileError
from foible.training.data.config import DataConfig
from foible.training.data.dataset import Dataset, load


class SharedGames:
    """Gives data sets that differ in phases and weights alone, all of one corpus. It is read when first needed."""

    def __init__(self, data: DataConfig) -> None:
        """`data`: of all phases."""
        self._data = data
        self._whole: Dataset | None = None

    def dataset(self, data: DataConfig) -> Dataset:
        """What a training is to see.

        :raises GameFileError: a source cannot be read, or no position of its phases is there to train on.
        """
        whole = self._whole = self._whole or load(self._data)
        columns = whole.columns
        if data.move_phases is not None:
            columns = replace(columns, phases=whole.corpus.move_phases(data.move_phases))
        found = replace(whole, config=data, columns=columns)
        if not len(found.rows("train", data.filters.phases)):
            raise GameFileError(f"no position of phases {data.filters.phases} is there to train on")
        return found
