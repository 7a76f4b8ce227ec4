import pytest

from foible.errors import ConfigError
from foible.judges.spec import CAREFUL, NetJudgeSpec, SearchJudgeSpec, UciJudgeSpec, parse_judge, usual_judge
from foible.nets.choices import default_threads


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("maia-1900", NetJudgeSpec(net="maia-1900")),
        (" nets/a.b@c.pb.gz@250 ", SearchJudgeSpec(net="nets/a.b@c.pb.gz", nodes=250)),
        ('{ kind = "net_search", net = ["a", "b"], nodes = 7 }', SearchJudgeSpec(net=["a", "b"], nodes=7)),
    ],
)
def test_judges_by_a_short_text(text: str, expected: object) -> None:
    assert parse_judge(text) == expected


def test_engines_by_a_short_text() -> None:
    assert parse_judge("uci:stockfish:depth=10") == UciJudgeSpec(command="stockfish", depth=10)
    all_said = UciJudgeSpec(command="sf", depth=3, wdl=True, hang_after=2.5)
    assert parse_judge("uci:sf:depth=3:wdl=true:hang_after=2.5") == all_said
    assert parse_judge("uci:/a b/c:nodes=9:processes=2") == UciJudgeSpec(command="/a b/c", nodes=9, processes=2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@100",
        "maia@",
        "maia@0",
        "maia@many",
        "uci:",
        "uci:sf:deep",
        "stockfish",
        "Stockfish@1000",
        "maia@4294967296",
        f"maia@{'9' * 9999}",
        "{ kind = 'oracle' }",
        "{ kind =",
    ],
)
def test_what_is_no_judge_is_said(text: str) -> None:
    with pytest.raises(ConfigError, match="judge"):
        parse_judge(text)


def test_the_usual_judge_is_stockfish_one_thread_an_engine_and_an_engine_a_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("foible.engines.programs.shutil.which", lambda name, path=None: path and f"{path}/{name}")
    found = usual_judge(CAREFUL)
    assert isinstance(found, UciJudgeSpec)
    assert (found.command, found.nodes, found.depth) == ("/usr/games/stockfish", CAREFUL, None)
    assert (found.options["Threads"], found.processes) == (1, default_threads())


def test_without_stockfish_the_usual_judge_is_the_net_of_masters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.engines.programs.shutil.which", lambda name, path=None: None)
    assert usual_judge(CAREFUL) == parse_judge("master@100")
