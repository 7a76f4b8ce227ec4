"""The line that tells how a long job goes."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from foible.interfaces.cli import progress
from foible.interfaces.cli.output import Console
from foible.interfaces.cli.progress import JobStanding, ProgressLine, progress_line
from tests.interfaces.cli.command import Command

WIDTH = 80


def standing(*, total: float | None = 20, new: float = 4, note: str = "", left: float | None = None) -> JobStanding:
    return JobStanding("match", 12, total, 10.0, new, note, left)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal gets, on which nothing waits."""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    return io.StringIO()


def terminal(screen: io.StringIO) -> Console:
    return Console(file=screen, force_terminal=True, width=WIDTH, color_system=None, legacy_windows=False)


def test_the_line_tells_amount_time_left_rate_and_estimate() -> None:
    now = standing(note="focal 52.1 ± 3.2 %")
    assert now.amount("games") == "12/20 games"
    assert now.words("games") == "0:00:20 left  0.40 games/s  focal 52.1 ± 3.2 %"


def test_the_jobs_own_time_left_goes_before_that_by_the_rate() -> None:
    assert standing(left=75.4).words("games") == "0:01:15 left  0.40 games/s"


@pytest.mark.parametrize(("new", "rate"), [(4, "0.40"), (96, "9.60"), (1400, "140")])
def test_rates_are_plain_numbers(new: float, rate: str) -> None:
    assert standing(new=new).words("games").split("  ")[1] == f"{rate} games/s"


def test_nothing_is_predicted_before_anything_is_done() -> None:
    assert standing(new=0).words("games") == ""


def test_without_an_end_the_time_so_far_is_told() -> None:
    now = standing(total=None)
    assert (now.amount("games"), now.words("games")) == ("12 games", "0:00:10  0.40 games/s")


def test_what_earlier_processes_did_is_not_counted_as_speed(
    screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0.0, 1.0, 11.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(seconds, 11.0)))
    line = ProgressLine("games", terminal(screen))
    line.show("match", 1000, 2000)
    line.show("match", 1010, 2000)
    line.clear()
    assert "1.00 games/s" in screen.getvalue()


def test_a_narrow_terminal_cuts_off_what_matters_least(screen: io.StringIO) -> None:
    line = ProgressLine("games", terminal(screen))
    line.show("match", 12, 20, note="focal 52.1 ± 3.2 %  " + "and much more " * 10)
    line.clear()
    (shown, *_) = screen.getvalue().replace("\x1b[?25l", "").splitlines()
    assert "focal 52.1 ± 3.2 %" in shown
    assert shown.endswith("…")
    assert len(shown.split("\r")[0]) <= WIDTH


def test_names_are_taken_as_they_are_not_as_styles(screen: io.StringIO) -> None:
    line = ProgressLine("games", terminal(screen))
    line.show("[/red] match", 1, 2, note="_a $x^{_b$ [bold]")
    line.clear()
    assert "[/red] match" in screen.getvalue()
    assert "_a $x^{_b$ [bold]" in screen.getvalue()


def test_the_line_goes_away_for_other_output_and_comes_back(screen: io.StringIO) -> None:
    line = ProgressLine("games", terminal(screen))
    line.say("reading games")
    line.clear()
    screen.truncate(0)
    line.show("match", 1, 2)
    line.clear()
    assert "reading" not in screen.getvalue()
    assert "1/2 games" in screen.getvalue()


def test_what_is_soon_done_needs_no_line() -> None:
    screen = io.StringIO()
    line = ProgressLine("games", terminal(screen))
    line.show("match", 1, 2)
    line.clear()
    assert screen.getvalue() == ""


def test_without_a_terminal_a_line_is_written_every_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 1.0, 59.0, 61.0, 119.0, 121.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    with progress_line("games") as line:
        line.say("reading games")
        for done in range(5):
            line.show("match", done, 4, note="focal [52.1 ± 3.2] %")
    assert capsys.readouterr() == (
        "",
        "match 2/4 games  0:01:00 left  0.03 games/s  focal [52.1 ± 3.2] %\n"
        "match 4/4 games  0:00:00 left  0.03 games/s  focal [52.1 ± 3.2] %\n",
    )


def test_a_hidden_line_is_written_nowhere(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "MINUTE", 0.0)
    with progress_line("games", hidden=True) as line:
        line.show("match", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_command_that_fails_takes_its_line_away(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setattr(sys, "stderr", screen)

    def interrupted() -> None:
        with progress_line("games") as line:
            line.show("match", 1, 2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert screen.getvalue().endswith("\x1b[2K")


def test_commands_show_their_line_on_a_terminal(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    for name, value in (("COLUMNS", str(WIDTH)), ("TTY_COMPATIBLE", "1"), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    file = tmp_path / "positions.jsonl"
    file.write_text('{"id": 1}\n{"id": 2}\n')
    ran = foible("phases", file, "--out", tmp_path / "phases.jsonl")
    assert ran.code == 0
    assert "2/2 positions" in ran.err
