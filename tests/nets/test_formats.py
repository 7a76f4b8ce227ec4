"""Every file is of one kind, which says what it is, also where foible does not run such nets."""

from pathlib import Path

import pytest

from foible.errors import NetFileError
from foible.nets.catalogue import FORMATS, describe_net, export_net, format_of, open_net
from foible.nets.named_nets import public_nets
from foible.nets.paths import SUFFIXES


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("a.pb", "lc0"),
        ("a.pb.gz", "lc0"),
        ("weights_run1_12345", "lc0"),
        ("a.onnx", "onnx"),
        ("a.txt", "leela-zero"),
        ("a.txt.gz", "leela-zero"),
        ("a.toml", "mixture"),
        ("kata1-b6c96.bin.gz", "katago"),
        ("checkpoint.pt", "pytorch"),
    ],
)
def test_the_name_of_a_file_tells_its_kind(file: str, kind: str) -> None:
    assert format_of(Path(file)).name == kind


def test_kinds_share_no_suffix_and_names_of_nets_end_in_none() -> None:
    suffixes = [suffix for kind in FORMATS for suffix in kind.suffixes]
    assert sorted(suffixes) == sorted(set(suffixes)) == sorted(SUFFIXES)


def test_a_checkpoint_of_something_else_is_refused_with_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "last.ckpt"
    file.write_bytes(b"\x00")
    for use in (open_net, describe_net):
        with pytest.raises(NetFileError, match=f"^{file}: not a checkpoint of PyTorch"):
            use(str(file))
    with pytest.raises(NetFileError, match="not a checkpoint of PyTorch"):
        export_net(str(file), tmp_path / "out.onnx")


def test_every_public_net_has_a_licence_and_a_safe_way() -> None:
    for name, net in public_nets().items():
        assert net.licence
        assert net.folder.startswith("https://")
        assert net.path.name == net.file == f"{name}{'.pt' if net.rated else '.pb.gz'}"
