"""What was sealed is found out where it was changed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.errors import GameFileError
from foible.runs.checksum import seal, seal_file, unseal, unseal_file

objects = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)


@given(objects, st.sampled_from([None, 2]))
def test_a_sealed_object_is_one_with_one_member_more(found: dict[str, object], indent: int | None) -> None:
    sealed = seal(json.dumps(found, indent=indent).encode())
    assert json.loads(unseal(sealed)) == found
    assert json.loads(sealed) == {**found, "checksum": json.loads(sealed)["checksum"]}
    assert unseal(json.dumps(found).encode()) == json.dumps(found).encode()


@given(st.binary(max_size=50), st.data())
def test_a_file_that_was_changed_is_found_out(content: bytes, data: st.DataObject) -> None:
    sealed = seal_file(content)
    assert unseal_file(sealed) == content
    if content:
        place = data.draw(st.integers(0, len(content) - 1))
        with pytest.raises(GameFileError, match="damaged: its checksum is"):
            unseal_file(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :] + sealed[len(content) :])
