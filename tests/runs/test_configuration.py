"""The frozen configuration of a run."""

from pathlib import Path

from foible.runs.configuration import CONFIG, read_recorded, write_config


def test_what_is_not_set_is_not_written_in_tables_of_lists_neither(tmp_path: Path) -> None:
    players = [{"kind": "a", "name": None}, {"kind": "b", "search": {"cpuct": 1.5, "seed": None}}]
    write_config(tmp_path, {"games": 2, "judge": None, "players": players, "levels": (1100, 1900)})
    assert read_recorded(tmp_path / CONFIG) == {
        "games": 2,
        "players": [{"kind": "a"}, {"kind": "b", "search": {"cpuct": 1.5}}],
        "levels": [1100, 1900],
    }
