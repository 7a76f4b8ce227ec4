"""What docstrings and comments cite of a method stands in docs/methods (docs/sources.md says how it is cited)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
METHODS = ROOT / "docs" / "methods"
FOLDERS = ("benchmarks", "core/fuzz/fuzz_targets", "core/src", "docs", "examples", "python", "tests")
SUFFIXES = {".html", ".md", ".py", ".pyi", ".rs", ".toml", ".yml"}
NUMBERED = (
    "lc0-nets",
    "maia-nets",
    "opponent-modelling",
    "phase-experts",
    "sai",
    "search-contempt",
    "skill-compatible",
)
UNNUMBERED = "search"
"""Its sections have names in place of numbers."""

LINE_BREAK = re.compile(r"\s*\n[ \t]*(?:///|//!|//|#+(?= )|\|)?[ \t]*")
"""With what begins a line of a comment."""
SECTION = r"\d+(?:\.\d+)*(?!\.?\d)"
TOKEN = re.compile(
    rf"""
      \b(?P<name>{"|".join(NUMBERED)})`?,?\ (?=§)
    | \bmethods/(?P<file>[\w-]+)\.md(?:`?,\ "(?P<heading>[^"]+)")?
    | §(?P<first>{SECTION})\ to\ §(?P<last>{SECTION})
    | §(?P<number>{SECTION})(?:,\ (?:item|step)\ (?P<item>\d+|[a-z])\b)?(?!,?\ (?:and\ |to\ )?\#?\d)
    | §"(?P<quoted>[^"]+)"
    | (?P<unclear>§)
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Citation:
    method: str
    """Empty where none is named before it."""
    section: str
    item: str | None = None


def citations(text: str, method: str = "") -> Iterator[Citation]:
    """All of a text, in order. A § without a method belongs to the one that was cited last.

    `method`: whose own description the text is.
    """
    for token in TOKEN.finditer(LINE_BREAK.sub(" ", text)):
        found = token.groupdict()
        if found["unclear"]:
            start = token.start()
            raise ValueError(f"no section: {token.string[max(0, start - 40) : start + 40]!r}")
        if found["quoted"] or found["heading"]:
            yield Citation(UNNUMBERED if found["quoted"] else found["file"], found["quoted"] or found["heading"])
        elif found["name"] or found["file"]:
            method = (found["name"] or found["file"]).lower()
        elif found["first"]:
            yield from (Citation(method, section) for section in from_to(found["first"], found["last"]))
        else:
            yield Citation(method, found["number"], found["item"])


def from_to(first: str, last: str) -> list[str]:
    """The sections of a range, which differ in their last number."""
    *parent, low = first.split(".")
    *other, high = last.split(".")
    if parent != other or int(low) >= int(high):
        raise ValueError(f"no range: §{first} to §{last}")
    return [".".join([*parent, str(number)]) for number in range(int(low), int(high) + 1)]


@cache
def sections(method: str) -> dict[str, str]:
    """By number, or by name where there are no numbers: what stands below each heading of a method, up to the next."""
    path = METHODS / f"{method}.md"
    parts = re.split(r"^#{2,} (.+)$", path.read_text("utf-8") if path.is_file() else "", flags=re.MULTILINE)
    found: dict[str, str] = {}
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        numbered = re.match(r"(\d+(?:\.\d+)*)\.? ", heading)
        number = numbered[1] if numbered else heading
        assert number not in found, f"{path} has two sections {number}"
        found[number] = body
    return found


def is_there(citation: Citation) -> bool:
    """Whether the section exists and has the item, which is a row of a table or a step of a list."""
    body = sections(citation.method).get(citation.section)
    if body is None or citation.item is None:
        return body is not None
    return re.search(rf"^(?:{citation.item}\.|\| {citation.item} \|)", body, re.MULTILINE) is not None


def sources() -> list[Path]:
    """All that may cite: text of the folders, and what stands beside them."""
    below = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return sorted(path for path in (*below, *ROOT.glob("*")) if path.is_file() and path.suffix in SUFFIXES)


def cited() -> list[tuple[Path, Citation]]:
    """Those of this file are examples. In each paragraph of a method's own description a § is its own."""
    found = []
    for path in sources():
        if path != Path(__file__):
            own, text = path.parent == METHODS, path.read_text("utf-8")
            parts = text.split("\n\n") if own else [text]
            try:
                found += [(path, citation) for part in parts for citation in citations(part, path.stem if own else "")]
            except ValueError as error:
                raise AssertionError(f"{path}: {error}") from None
    return found


def test_every_citation_leads_to_a_section() -> None:
    found = cited()
    assert len(found) >= 300
    assert {citation.method for _, citation in found} >= {*NUMBERED, UNNUMBERED}
    lost = [f"{path.relative_to(ROOT)}: {citation}" for path, citation in found if not is_there(citation)]
    assert not lost, "\n".join(lost)


def test_every_method_is_linked_to_and_every_link_leads_to_one() -> None:
    linked = {
        method
        for path in sources()
        if path.suffix == ".md" and path != ROOT / "docs" / "sources.md"
        for method in re.findall(r"\]\((?:docs/)?methods/([\w-]+)\.md\)", path.read_text("utf-8"))
    }
    assert linked == {*NUMBERED, UNNUMBERED} == {path.stem for path in METHODS.iterdir()}


def test_every_file_of_the_source_that_a_page_names_exists() -> None:
    there = [f"/{path.relative_to(ROOT).as_posix()}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.[pr]*")]
    named = [
        (path.relative_to(ROOT).as_posix(), name)
        for path in sources()
        if path.suffix == ".md"
        for name in re.findall(r"`([\w-]+(?:/[\w-]+)+\.(?:py|pyi|rs))`", path.read_text("utf-8"))
    ]
    assert len(named) >= 50
    lost = [f"{page}: {name}" for page, name in named if not any(path.endswith(f"/{name}") for path in there)]
    assert not lost, "\n".join(lost)


def test_no_file_points_out_of_the_repository() -> None:
    outside = "/".join(("specs", ""))
    paths = [*sources(), ROOT / "Makefile", *(ROOT / ".ci").glob("*"), *(ROOT / "core").glob("*.toml")]
    assert not [path for path in paths if outside in path.read_text("utf-8")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("as SAI §3.4 has it", ["sai 3.4"]),
        ("(SAI, §3.1, §3.6).", ["sai 3.1", "sai 3.6"]),
        ("(SAI,\n    /// §3.3).", ["sai 3.3"]),
        ("skill-compatible §1 and §2. Later (§1.1.5).", ["skill-compatible 1", "skill-compatible 2"]),
        ("phase-experts §1.1 to §1.3", ["phase-experts 1.1", "phase-experts 1.2", "phase-experts 1.3"]),
        ("search-contempt\n# §4, opponent-modelling §6, §10, item 9", ["search-contempt 4", "opponent-modelling 6"]),
        ("SAI, §7, figures 3 and 5; §3.4, eq. 5", ["sai 7", "sai 3.4"]),
        ("(`docs/methods/sai.md` §0)", ["sai 0"]),
        ('(`docs/methods/search.md`, "Final\n//! move")', ["search Final move"]),
        ('§"Backup". Then', ["search Backup"]),
        ("no name: §4", [" 4"]),
    ],
)
def test_citations_are_found_as_they_are_written(text: str, expected: list[str]) -> None:
    found = [f"{citation.method} {citation.section}" for citation in citations(text)]
    assert found[: len(expected)] == expected


@pytest.mark.parametrize(
    "text", ["SAI, §§3, 4", "SAI, §3.1, 3.6", "phase-experts §10, 9", "SAI § 3", "SAI §3.6 to §3.1", "§2 to §3.1"]
)
def test_what_cannot_be_looked_up_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no (section|range)"):
        list(citations(text))


def test_a_section_or_an_item_that_does_not_exist_is_missed() -> None:
    assert is_there(Citation("sai", "7", "9"))
    assert not is_there(Citation("sai", "7", "99"))
    assert not is_there(Citation("sai", "7.99"))
    assert not is_there(Citation("", "7"))
