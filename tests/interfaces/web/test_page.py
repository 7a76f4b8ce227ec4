"""What a page may send, and what comes back."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from websockets.exceptions import ConnectionClosedError

from foible.errors import FoibleError
from foible.interfaces.web.explain import Judge
from foible.interfaces.web.messages import Ask, Stop, read_message
from foible.interfaces.web.page import BURST, QUESTIONS_AT_ONCE
from foible.interfaces.web.protocol import PageQuestion
from tests.interfaces.web.site import RefusedError, Site, held_back

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NEARLY = st.fixed_dictionaries({
    "do": st.sampled_from(["ask", "stop", "x", 1]),
    "id": st.integers() | ANY_JSON,
    "question": st.dictionaries(st.sampled_from(["kind", "line", "text", "rating"]), ANY_JSON) | ANY_JSON,
})  # fmt: skip


@given(st.text() | (ANY_JSON | NEARLY).map(json.dumps))
def test_whatever_a_page_sends_is_a_message_or_one_line(text: str) -> None:
    try:
        found: Ask | Stop | str = read_message(text)
    except FoibleError as error:
        found = str(error)
    match found:
        case Ask(_, question):
            assert isinstance(question, PageQuestion)
        case Stop(number):
            assert number >= 0
        case str():
            assert "\n" not in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a message"),
        ("[" * 100_000, "not a message"),
        ('{"do": "ask", "id": 1, "question": {"kind": "explian"}}', "near is explain"),
        (
            '{"do": "ask", "id": -1, "question": {"kind": "read_game", "text": ""}}',
            "id = -1: expected a whole number, at least 0",
        ),
        ('{"do": "ask", "id": 1, "question": {"kind": "read_game"}}', "question.text is missing"),
        ('{"do": "ask", "id": 1, "question": {"kind": "read_game", "text": "", "path": "/"}}', "unknown key"),
    ],
)
def test_a_broken_message_is_answered_by_what_is_wrong(site: Site, text: str, said: str) -> None:
    with site.page() as talk:
        talk.send(text)
        answer = talk.receive()
        assert answer["is"] == "failed"
        assert said in answer["error"]
        assert talk.ask("read_game", text="1. e4")


def test_bytes_end_the_page_and_nothing_else(site: Site) -> None:
    with site.page() as talk:
        talk.send(b"\x00\x01")
        with pytest.raises(ConnectionClosedError, match=r"received 1003 .*expected text, not bytes"):
            talk.receive()
    assert site.ask("read_game", text="1. e4")


def test_a_page_that_asks_too_much_is_told_so(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.interfaces.web.page.PER_SECOND", 0)
    with site.page() as talk:
        for _ in range(BURST):
            talk.send("{}")
            assert "too many" not in talk.receive()["error"]
        talk.send({"do": "ask", "id": 7, "question": {"kind": "read_game", "text": "1. e4"}})
        refused = talk.receive()
    assert "too many messages" in refused["error"]
    assert refused["id"] == 7


def test_questions_that_are_stopped_at_once_leave_no_trace(site: Site) -> None:
    with site.page() as talk:
        for number in range(100, 100 + 2 * QUESTIONS_AT_ONCE):
            question = {"kind": "read_game", "text": "1. e4"}
            talk.send({"do": "ask", "id": number, "question": question})
            talk.send({"do": "stop", "id": number})
        talk.send({"do": "ask", "id": 1, "question": {"kind": "read_game", "text": "1. d4"}})
        while (message := talk.receive()).get("id") != 1:
            pass
        assert message["is"] == "answer"


JUDGE: dict[str, Any] = {"kind": "judge", "line": {}}
"""A question with one reply."""


def test_questions_at_once_are_bounded(site: Site) -> None:
    with site.page() as talk:
        with held_back(Judge):
            for number in range(QUESTIONS_AT_ONCE + 1):
                talk.send({"do": "ask", "id": number, "question": JUDGE})
            refused = talk.receive()
        assert (refused["is"], refused["id"]) == ("failed", QUESTIONS_AT_ONCE)
        assert "too many questions" in refused["error"]
        found = [talk.receive() for _ in range(2 * QUESTIONS_AT_ONCE)]
    assert {(message["is"], message["id"]) for message in found} == {
        (what, number) for what in ("answer", "done") for number in range(QUESTIONS_AT_ONCE)
    }


def test_a_number_is_taken_while_its_question_is_answered(site: Site) -> None:
    with site.page() as talk, held_back(Judge):
        for _ in range(2):
            talk.send({"do": "ask", "id": 7, "question": JUDGE})
        failed = talk.receive()
    assert failed["is"] == "failed"
    assert "already" in failed["error"]


def test_a_stopped_question_is_not_answered_further(site: Site) -> None:
    with site.page() as talk:
        with held_back(Judge):
            number = talk.begin("judge", line={})
            talk.send({"do": "stop", "id": number})
            assert talk.ask("read_game", text="1. e4")
        assert talk.ask("judge", line={})


def test_what_cannot_be_answered_is_one_line(site: Site) -> None:
    with pytest.raises(RefusedError, match="e2e5"):
        site.ask("bars", line={"moves": ["e2e5"]})
