"""The page is built against the messages that the server knows."""

from pathlib import Path

from foible.interfaces.web.typescript import messages
from foible.wording import PLUS_MINUS

SOURCES = Path(__file__).parents[3] / "web" / "src"
FILE = SOURCES / "messages.ts"


def test_the_page_knows_the_messages_as_they_are() -> None:
    assert FILE.read_text("utf-8") == messages(), "python -m foible.interfaces.web.typescript > web/src/messages.ts"


def test_the_page_says_what_plus_minus_means_in_the_words_of_all_reports() -> None:
    assert f'"{PLUS_MINUS}"' in (SOURCES / "words.ts").read_text("utf-8")
