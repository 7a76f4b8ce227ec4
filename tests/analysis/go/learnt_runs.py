"""Folders of `foible go train` and `foible go panel` made up by hand; the nets in them are a few bytes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from foible.nets.download import file_sha256
from foible.training.go.folder import net_path
from foible.training.go.generation import Generation

CONFIG = "generations = 9\n"


def generation(number: int, **known: object) -> Generation:
    """One with a promoted net, 10 games and 2 seconds, but for what is known of it."""
    games = 10 if number else 0
    return msgspec.convert({"number": number, "best": number, "games": games, "seconds": 2.0, **known}, Generation)


def write_learnt(
    folder: Path, generations: Sequence[Generation], *, size: int = 7, config: str = CONFIG, nets: bool = True
) -> Path:
    """A run; its nets differ from each other, and from those of a run of another name."""
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f"{config}\n[net]\nsize = {size}\n")
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in generations)
    (folder / "generations.jsonl").write_bytes(lines)
    for one in generations:
        if nets and one.best == one.number:
            path = net_path(folder, one.number)
            path.parent.mkdir()
            path.write_text(f"net {one.number} of {folder.name}")
    return folder


def write_panel(folder: Path, scores: Mapping[Path, tuple[float, float | None]], weight: float = 0.0) -> Path:
    """A panel that has measured nets with a lambda."""
    folder.mkdir(parents=True)
    nets = {f"net-{index}": net for index, net in enumerate(scores)}
    players = "".join(
        f'[players.{name}]\nkind = "net"\nnet = "{net}"\nlambda = {weight}\n' for name, net in nets.items()
    )
    resolved = "".join(f'"{net}" = "{name}, sha256 {file_sha256(net)}"\n' for name, net in nets.items())
    (folder / "config.toml").write_text(f"{players}[resolved]\n{resolved}")
    values = {name: dict(zip(("value", "standard_error"), scores[net], strict=True)) for name, net in nets.items()}
    report: dict[str, object] = {
        "panel": [],
        "shares": {},
        "scale": {"even": -0.25, "ceiling": 1.5, "scores": values},
        "standings": None,
    }
    (folder / "panel.json").write_text(json.dumps(report))
    return folder
