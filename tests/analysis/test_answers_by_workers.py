"""Answers that workers find: when a part counts, and when a worker refuses. That they are the same answers is tested
with judges and players.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from foible.analysis.answers import Answers
from foible.analysis.answers_by_workers import AnswerParts, Errand, answer_part
from foible.analysis.workers import Workers
from foible.errors import ConfigError, GameFileError
from foible.scale import Processes
from tests.analysis.test_answers import COLUMNS, POSITIONS, Counter, open_


def test_a_part_of_another_processor_is_taken_where_any_will_do(tmp_path: Path) -> None:
    part = tmp_path / "parts" / "000001-000002"
    about = {"what": "legal moves", "resolved": {"processor": "another"}}
    with Answers(part, COLUMNS, about) as found:
        found.fill(lambda: POSITIONS[:2], Counter())
    here = {**about, "resolved": {"processor": "this one"}}
    errand = Errand(answer_part, None, here)
    with open_(tmp_path) as found, Processes(1) as processes:
        parts = AnswerParts(found, (), errand, Workers(processes))
        with pytest.raises(ConfigError, match=rf"^{part}: made with resolved\.processor = .*--any-processor"):
            parts.merge(part)
        whole = (part / "about.json").read_bytes()
        (part / "about.json").write_bytes(whole[:9])
        with pytest.raises(GameFileError, match=rf"^{part}/about\.json: cannot be read"):
            parts.merge(part)
        (part / "about.json").write_bytes(whole)
        AnswerParts(found, (), errand, Workers(processes, any_processor=True)).merge(part)
        assert len(found) == 2
    assert not part.exists()


def test_a_worker_that_would_answer_otherwise_refuses(tmp_path: Path) -> None:
    part, now = tmp_path / "parts" / "000001-000002", {"judge": "a", "resolved": {"processor": "another"}}
    asked = [(position.start_fen, False, position.moves) for position in POSITIONS[:2]]

    def answer(expected: Mapping[str, object], may_change: list[str]) -> None:
        answer_part(str(part), COLUMNS, Counter(), now, expected, asked, may_change)

    with pytest.raises(ConfigError, match="expected a folder that all machines share"):
        answer(now, [])
    open_(tmp_path).close()
    with pytest.raises(ConfigError, match=r'made with judge = "b"'):
        answer({**now, "judge": "b"}, [])
    here = {**now, "resolved": {"processor": "this one"}}
    with pytest.raises(ConfigError, match=r"resolved\.processor = .*--any-processor"):
        answer(here, [])
    answer(here, ["resolved.processor"])
    with open_(tmp_path) as found:
        assert found.fill(lambda: POSITIONS[:2], later := Counter()) == len(later.asked) == 0
