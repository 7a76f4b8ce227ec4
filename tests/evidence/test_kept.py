"""Evidence as it is kept: what is filed is read back, and nothing is counted together that is not of one match."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from foible.arena.config import convert_config
from foible.errors import ConfigError, GameFileError
from foible.evidence.blocks import Report
from foible.evidence.kept import file_block, filed, filed_report, identity
from foible.toml import read_text, read_toml, to_toml_dict, without_none
from tests.evidence.made import NET, block, file_report, keep, measurement


def test_blocks_are_read_back_in_order(tmp_path: Path) -> None:
    blocks = [block(2, "WW DL"), block(0, "WD LL")]
    keep(tmp_path / "e", blocks)
    (found,) = filed(tmp_path / "e")
    assert list(found.blocks) == blocks[::-1]
    assert found.units == 4
    assert found.evaluations == 200
    assert found.config["framework"] == "tag_team"


def test_evaluations_that_a_block_does_not_tell_are_taken_from_the_others(tmp_path: Path) -> None:
    keep(tmp_path / "e", [block(0, "WW DL"), block(2, "LL", evaluations=None)])
    (found,) = filed(tmp_path / "e")
    assert found.evaluations == 150


def test_another_match_is_another_identity_and_another_machine_is_not() -> None:
    match = {"framework": "standard", "games": 8, "seed": 1, "resolved": {"net": NET, "processor": "one"}}
    assert identity({**match, "games": 20, "resolved": {"net": NET, "processor": "two"}}) == identity(match)
    other_way = NET.replace("openvino f32", "onnxruntime bf16")
    assert identity({**match, "precision": "bf16", "resolved": {"net": other_way}}) == identity(match)
    for change in ({"seed": 2}, {"effort": 0.1}, {"resolved": {"net": NET.replace("a", "b")}}):
        assert identity({**match, **change}) != identity(match), change


def test_a_match_of_which_blocks_are_kept_would_file_new_ones_beside_them() -> None:
    """A key that is new in the configuration of a player must not appear where it is not set."""
    for path in (Path(__file__).parents[2] / "evidence").glob("*/*/match.toml"):
        kept = read_toml(read_text(path), str(path))
        beside = kept.keys() & {"resolved", "attuned", "tuned"}
        config = convert_config({key: value for key, value in kept.items() if key not in beside}, str(path))
        again = to_toml_dict(config) | {key: kept[key] for key in beside}
        assert identity(without_none(again)) == path.parent.name, path


def test_of_two_configurations_the_latest_comes_last(tmp_path: Path) -> None:
    keep(tmp_path / "e", [block(0, "WW", finished=datetime(2026, 3, 1, 9, tzinfo=UTC))], seed=2)
    keep(tmp_path / "e", [block(0, "LL", finished=datetime(2026, 3, 1, 8, tzinfo=UTC))], seed=3)
    assert [found.config["seed"] for found in filed(tmp_path / "e")] == [3, 2]


def test_a_pair_in_two_blocks_is_refused(tmp_path: Path) -> None:
    keep(tmp_path / "e", [block(0, "WW DL LL"), block(2, "WD")])
    with pytest.raises(GameFileError, match="number 2 stands in two blocks"):
        filed(tmp_path / "e")


def test_what_is_no_evidence_is_named(tmp_path: Path) -> None:
    (path,) = keep(tmp_path / "e", [block(0, "WW")])
    path.write_text('{"first": "x"}')
    with pytest.raises(GameFileError, match=r"0000\.json: .*first.*expected evidence"):
        filed(tmp_path / "e")
    (tmp_path / "e" / "report.json").write_text("[]")
    with pytest.raises(GameFileError, match=r"report\.json"):
        filed_report(tmp_path / "e")


@pytest.mark.parametrize(
    ("said", "damaged", "message"),
    [
        ('"WW"', '"XY"', r"0000\.json: .*results"),
        ("[[40,60],", "[", r"0000\.json: plies of 1 pairs, but results of 2"),
    ],
)
def test_a_block_whose_parts_do_not_match_is_named(tmp_path: Path, said: str, damaged: str, message: str) -> None:
    (path,) = keep(tmp_path / "e", [block(0, "WW DL")])
    text = path.read_text()
    assert said in text
    path.write_text(text.replace(said, damaged))
    with pytest.raises(GameFileError, match=message):
        filed(tmp_path / "e")


def test_sums_of_too_few_units_are_named(tmp_path: Path) -> None:
    path = file_block(tmp_path / "e", {"resolved": {}}, measurement(0, {"loss": [(1.0, 2), (2.0, 2)]}))
    path.write_text(path.read_text().replace('"count": 2', '"count": 3'))
    with pytest.raises(GameFileError, match=r"0000\.json: sums of 2 units of 'loss', but a count of 3"):
        filed(tmp_path / "e")


def test_a_configuration_that_is_damaged_or_missing_is_named(tmp_path: Path) -> None:
    (path,) = keep(tmp_path / "e", [block(0, "WW DL")])
    described = path.parent / "match.toml"
    for damage in (b"x", b"\xff"):
        described.write_bytes(damage)
        with pytest.raises(ConfigError, match=r"match\.toml"):
            filed(tmp_path / "e")
    described.unlink()
    with pytest.raises(GameFileError, match=r"neither match\.toml nor measured\.toml is there"):
        filed(tmp_path / "e")


def test_a_report_is_read_back(tmp_path: Path) -> None:
    report = Report(command="foible go train", figures={"alpha": (25.0, None, 12)}, of="generations")
    file_report(tmp_path / "go", report)
    assert filed_report(tmp_path / "go") == report
    assert filed_report(tmp_path / "none") is None
