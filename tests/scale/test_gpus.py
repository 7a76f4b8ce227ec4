"""Each worker has a GPU of its own, as far as there are enough of them."""

from pathlib import Path

import pytest

from foible.scale import Processes, gpus
from foible.scale.gpus import gpu_count, gpus_of_worker
from tests.scale.work import unit


def shares(workers: int) -> list[str | None]:
    return [gpus_of_worker(number, workers).get("CUDA_VISIBLE_DEVICES") for number in range(workers)]


def test_gpus_are_divided_among_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2, 5")
    assert shares(2) == ["2", "5"]
    assert shares(3) == ["2", "5", "2"]
    assert shares(1) == ["2,5"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b,GPU-c,-1,GPU-d")
    assert shares(2) == ["GPU-a,GPU-c", "GPU-b"]


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_gpus_that_are_hidden_stay_hidden(hidden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
    assert shares(2) == [None, None]


def test_all_gpus_are_divided_where_none_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(gpus, "gpu_count", lambda: 2)
    assert shares(3) == ["0", "1", "0"]


def test_without_a_driver_there_are_no_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(gpus, "_DRIVER", "no-such-driver.so")
    gpu_count.cache_clear()
    try:
        assert shares(2) == [None, None]
    finally:
        gpu_count.cache_clear()


def test_each_process_sees_its_own_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")
    units = [unit(tmp_path / name, "note_variable", "CUDA_VISIBLE_DEVICES") for name in "ab"]
    with Processes(2) as executor:
        for _ in executor.run(units):
            pass
    assert sorted((one.folder / "noted").read_text() for one in units) == ["2", "5"]
