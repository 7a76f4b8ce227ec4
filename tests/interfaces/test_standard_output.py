"""What engines write for the programs that start them."""

import io
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from foible.errors import ConfigError
from foible.interfaces.standard_output import described, use_stand_ins


@given(st.text())
def test_errors_are_one_short_line(text: str) -> None:
    assert len(described(ConfigError(text * 100)).splitlines()) <= 1
    assert len(described(ValueError(text * 100)).splitlines()) == 1
    assert len(described(ValueError(text * 100))) < 400


def test_whose_error_it_is_can_be_seen() -> None:
    assert described(ConfigError("no such\nnet")) == "no such net"
    assert described(ValueError("no such net")) == "ValueError: no such net"


WRITER = """
import sys
from foible.interfaces.standard_output import StandardOutput
output = StandardOutput()
output.send_line("two\\nlines")
output.send("as it is, \\ud800")
sys.stdin.read()
output.send("x" * 100_000)
print(output.closed, file=sys.stderr)
"""


def test_a_reader_that_has_gone_is_noticed_and_nothing_else_happens() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", WRITER], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        wanted = b"two lines\nas it is, ?"
        assert process.stdout.read(len(wanted)) == wanted
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b"True\n"
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("encoding", "printed"), [("cp1252", "Kk · – …?"), ("ascii", "Kk . - .?"), ("utf-8", "♔♚ · – …木")]
)
def test_an_old_encoding_gets_letters_for_chessmen(encoding: str, printed: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    use_stand_ins(stream)
    stream.write("♔♚ · – …木")
    stream.flush()
    assert raw.getvalue() == printed.encode(encoding)
