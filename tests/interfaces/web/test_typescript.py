"""The page is built against the messages that the server knows."""

from pathlib import Path

from foible.interfaces.web.typescript import messages

FILE = Path(__file__).parents[3] / "web" / "src" / "messages.ts"


def test_the_page_knows_the_messages_as_they_are() -> None:
    assert FILE.read_text("utf-8") == messages(), "python -m foible.interfaces.web.typescript > web/src/messages.ts"
