"""Files that others lack are fetched once, and are what they were."""

from pathlib import Path

import pytest

from foible.errors import NetFileError
from foible.nets.catalogue import find_net
from foible.runs.ledger import content_hash, file_hash
from foible.scale.lending import Offer, lent, offer


def test_a_file_is_fetched_once_and_keeps_its_name(tmp_path: Path) -> None:
    ours, fetched = tmp_path / "runs" / "train" / "net.pb.gz", list[int]()
    ours.parent.mkdir(parents=True)
    ours.write_bytes(b"a net")

    def fetch() -> bytes:
        fetched.append(1)
        return b"a net"

    for _ in range(2):
        kept = Offer(file_hash(ours), str(ours), fetch).kept_in(tmp_path / "cache")
        assert kept.read_bytes() == b"a net"
        assert kept.parts[-3:] == ("runs", "train", "net.pb.gz")
    kept.write_bytes(b"damaged")
    assert Offer(file_hash(ours), str(ours), fetch).kept_in(tmp_path / "cache").read_bytes() == b"a net"
    assert len(fetched) == 2
    with pytest.raises(NetFileError, match=r"net\.pb\.gz: not what lies at"):
        Offer("another", str(ours), fetch).kept_in(tmp_path / "cache")


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/x.pb.gz", ("x.pb.gz",)),
        ("/nets/x.pb.gz", ("nets", "x.pb.gz")),
        ("/a/b/../../nets/x.pb.gz", ("nets", "x.pb.gz")),
        ("/../../x.pb.gz", ("x.pb.gz",)),
        ("../../x.pb.gz", ("x.pb.gz",)),
    ],
)
def test_wherever_a_file_lies_it_is_kept_in_the_cache(tmp_path: Path, path: str, below: tuple[str, ...]) -> None:
    digest = content_hash(b"a net")
    kept = Offer(digest, path, lambda: b"a net").kept_in(tmp_path / "cache")
    assert kept == (tmp_path / "cache" / digest).joinpath(*below)
    assert kept.read_bytes() == b"a net"


def test_other_content_is_not_kept_and_takes_no_place(tmp_path: Path) -> None:
    offered = Offer(content_hash(b"a net"), "/nets/x.pb.gz", lambda: b"another")
    with pytest.raises(NetFileError, match=r"x\.pb\.gz: not what lies at /nets/x\.pb\.gz"):
        offered.kept_in(tmp_path / "cache")
    assert not list(tmp_path.rglob("*.*"))


def test_a_net_that_was_found_is_lent_and_one_that_is_lent_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nets = tmp_path / "nets"
    nets.mkdir()
    content = find_net("club").read_bytes()
    (nets / "lent-one.pb.gz").write_bytes(content)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("FOIBLE_NETS", str(nets))
    assert find_net("lent-one:1500") == lent()["lent-one"] == nets / "lent-one.pb.gz"
    monkeypatch.setenv("FOIBLE_NETS", "")
    with pytest.raises(NetFileError, match="no net is called 'lent-one'"):
        find_net("lent-one")
    offer({"lent-one": Offer(file_hash(nets / "lent-one.pb.gz"), str(nets / "lent-one.pb.gz"), lambda: content)})
    try:
        assert find_net("lent-one").read_bytes() == content
    finally:
        offer({})
