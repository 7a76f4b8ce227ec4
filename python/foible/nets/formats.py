"""What a format of net files is: one object for each format recognises a file, describes it, opens it, and exports its
net for other programs.

No other code asks which format a file has. A format that foible does not run is described too, to be refused with a
reason.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from foible.nets.choices import Ratings
from foible.nets.description import FormatName, Game, NetDescription
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.lc0_heads import Heads
from foible.nets.named_nets import at_heads, at_rating
from foible.nets.paths import net_name
from foible.nets.runtimes import Runtimes
from foible.nets.torch_checkpoint import begins_as_archive


@dataclass(frozen=True, slots=True)
class NetRequest:
    """A net that was asked for: its file, the ratings of the players that it is to imitate, and the heads to use."""

    path: Path
    ratings: Ratings | None = None
    heads: Heads | None = None
    """The heads to use if the net has several; `None`: the default ones."""

    @property
    def title(self) -> str:
        """The net's name in reports."""
        return at_heads(at_rating(net_name(self.path), self.ratings), self.heads)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of net files. Its functions may be given damaged files: for these they raise `NetFileError`, whose
    message names the file.
    """

    name: FormatName
    game: Game
    suffixes: tuple[str, ...]
    """The suffixes of the format's files; empty if folders of nets are not searched for this format."""
    matches: Callable[[Path], bool]
    """Whether a file or folder has this format, if no earlier format in the catalogue matches: judged by its name, or
    by its first bytes if the name does not tell. The file may be absent.
    """
    describe: Callable[[NetRequest], NetDescription]
    """Describes a net, after reading its whole file."""
    open: Callable[[NetRequest, Runtimes], Evaluator]
    """Opens a net. It raises `ConfigError` if the runtime, the precision or the rating is not available."""
    export: Callable[[NetRequest, Path], None]
    """Writes the net into a new file for other programs, in the format that the suffix of the file's name stands for.
    It raises `ConfigError` if there is no such suffix, or if the file exists already.
    """
    holds: Callable[[Path], bool] = lambda _: True
    """Whether a file with one of the format's suffixes, which other files may have too, is of this format, even if
    damaged.
    """
    sha256: Callable[[Path], str] = file_sha256
    """Computes the checksum of a net that reports show."""
    unrated: str | None = None
    """The reason why no net of this format plays at a rating; `None` if some do."""


def ends_in(*suffixes: str) -> Callable[[Path], bool]:
    """The test of a path for a format that the name tells: it ends in one of the suffixes, and is neither a folder nor
    an archive of PyTorch, which is recognised whatever its name.
    """
    return lambda path: path.name.endswith(suffixes) and not path.is_dir() and not begins_as_archive(path)
