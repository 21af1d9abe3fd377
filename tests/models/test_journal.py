import hashlib
import json
import time

import pytest

from plumbline.models import Failure, Journal, Reply
from plumbline.records import Usage, UserError


def key_of(name):
    return hashlib.sha256(str(name).encode()).hexdigest()


def write(folder, *entries, lane="lane", again=False):
    with Journal(folder).writer(lane) as writer:
        for name, outcome in entries:
            writer.append(key_of(name), f"item {name}", outcome, again)


def test_a_reply_comes_back_as_it_was_written(tmp_path):
    reply = Reply(
        text='{"a": "Grüße \u2028 \ud800"}',
        reasoning="hm",
        refusal="no",
        finish_reason="stop",
        logprobs=[{"token": "Yes", "logprob": -0.5, "top": [["Yes", -0.5], ["No", -9999.0]]}],
        usage=Usage(prompt_tokens=3, completion_tokens=2, cached_tokens=1),
    )
    write(tmp_path, ("a", reply), ("b", Reply(None)), ("c", Failure("overflow", "too long")))
    found = Journal(tmp_path).find({key_of(name) for name in "abcd"})
    assert found == {
        key_of("a"): reply,
        key_of("b"): Reply(None),
        key_of("c"): Failure("overflow", "too long"),
    }
    assert Journal(tmp_path).answered() == {key_of("a"), key_of("b")}


def test_a_torn_last_line_is_ignored_and_a_new_job_starts_a_file_of_its_own(tmp_path):
    write(tmp_path, ("a", Reply("one")), ("b", Reply("two")))
    (file,) = tmp_path.glob("*.jsonl")
    whole = file.read_bytes()
    for cut in range(len(whole.splitlines(keepends=True)[0]), len(whole)):
        file.write_bytes(whole[:cut])
        assert Journal(tmp_path).answered() == {key_of("a")}
    write(tmp_path, ("b", Reply("two again")))
    assert Journal(tmp_path).find({key_of("b")}) == {key_of("b"): Reply("two again")}
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


def test_a_reply_wins_over_failures_and_the_first_reply_over_later_ones(tmp_path):
    write(tmp_path, ("a", Failure("gave_up", "500")), ("b", Reply("first")), lane="z")
    write(tmp_path, ("a", Reply("late")), ("b", Failure("gave_up", "x")), ("b", Reply("second")), lane="a")
    write(tmp_path, ("c", Failure("gave_up", "old")), ("c", Failure("rejected", "new")))
    found = Journal(tmp_path).find({key_of(name) for name in "abc"})
    assert found[key_of("a")] == Reply("late")
    assert found[key_of("b")] == Reply("first")
    assert found[key_of("c")] == Failure("rejected", "new")


def test_a_reply_that_was_asked_for_again_takes_the_place_of_the_first(tmp_path):
    write(tmp_path, ("a", Reply("first")))
    write(tmp_path, ("a", Reply("second")), again=True)
    write(tmp_path, ("a", Failure("gave_up", "500")), again=True)
    assert Journal(tmp_path).find({key_of("a")}) == {key_of("a"): Reply("second")}


def test_a_job_that_asks_nothing_leaves_no_file(tmp_path):
    with Journal(tmp_path / "new").writer("lane"):
        pass
    assert not (tmp_path / "new").exists()
    assert Journal(tmp_path / "new").answered() == set()


def test_a_lanes_name_may_hold_anything(tmp_path):
    write(tmp_path, ("a", Reply("x")), lane="main/with gt | 3")
    assert Journal(tmp_path).answered() == {key_of("a")}


def test_a_cells_answers_are_found_in_a_large_journal_in_a_moment(tmp_path):
    filler = "x" * 2000
    lines = [
        json.dumps({"key": key_of(n), "reply": {"text": filler}, "item": str(n)}, separators=(",", ":"))
        for n in range(25_000)
    ]
    (tmp_path / "lane.1.1.jsonl").write_text("\n".join(lines) + "\n")
    start = time.process_time()
    found = Journal(tmp_path).find({key_of(n) for n in range(0, 25_000, 100)})
    assert len(found) == 250
    # 53 MB; a whole parse takes several times as long
    assert time.process_time() - start < 1.5


def test_a_job_with_a_long_name_has_a_file_too(tmp_path):
    write(tmp_path, ("a", Reply("one")), lane=".".join(["x" * 60] * 6))
    assert Journal(tmp_path).answered() == {key_of("a")}


@pytest.mark.parametrize("damage", [b'{"text":\x00\x00\x00', b'{"odd":"one"', b'["text","one"'])
def test_a_line_that_is_damaged_inside_is_named(tmp_path, damage):
    write(tmp_path, ("a", Reply("one")), ("b", Reply("two")))
    (file,) = tmp_path.glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b'{"text":"one"', damage))
    with pytest.raises(UserError, match=r"lane\..*\.jsonl: the line at byte 0 is damaged\. Remove it"):
        Journal(tmp_path).find({key_of("a")})
    assert Journal(tmp_path).find({key_of("b")}) == {key_of("b"): Reply("two")}


def test_files_that_are_no_journal_are_passed_over(tmp_path):
    write(tmp_path, ("a", Reply("one")))
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "foreign.jsonl").write_bytes(b'\xff\x00{"key": 5}\n' * 9)
    (tmp_path / "notes.txt").write_text("mine")
    assert Journal(tmp_path).find({key_of("a")}) == {key_of("a"): Reply("one")}
