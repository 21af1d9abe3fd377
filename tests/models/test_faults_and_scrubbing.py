import json
from datetime import UTC, datetime

import pytest

from plumbline.models import Failure
from plumbline.models.faults import Stop, TryAgain, read_fault, retry_after
from plumbline.models.scrubbing import scrub


def error(status, **fields):
    return read_fault(status, {}, json.dumps({"error": fields}).encode())


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_passing_troubles_are_tried_again(status):
    assert isinstance(error(status, message="later"), TryAgain)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_concerns_the_whole_job_stops_it(status):
    assert isinstance(error(status, message="no"), Stop)


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        (400, {"message": "This model's maximum context length is 8192 tokens."}),
        (400, {"message": "long", "code": "context_length_exceeded"}),
        (400, {"message": "the request exceeds the available context size", "code": 400}),
        (200, {"message": "x", "type": "exceed_context_size_error", "code": 400}),
        (400, {"message": "prompt is too long: 210000 tokens > 200000 maximum"}),
        (400, {"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."}),
    ],
    ids=str,
)
def test_an_overlong_prompt_is_known_by_any_servers_words(status, fields):
    assert error(status, **fields).status == "overflow"


def test_other_client_errors_fail_the_request_alone():
    assert error(400, message="bad schema") == Failure("rejected", "HTTP 400: bad schema")
    assert read_fault(422, {}, b'{"detail": "no"}') == Failure("rejected", "HTTP 422: no")
    assert read_fault(413, {}, b"<html>too large</html>").detail == "HTTP 413: <html>too large</html>"


def test_retry_after_is_read_as_seconds_or_as_a_date():
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert retry_after({"retry-after": "300"}) == 300
    assert retry_after({"retry-after-ms": "1500"}) == 1.5
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 12:02:00 GMT"}, noon) == 120
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, noon) == 0
    for nothing in ({}, {"retry-after": "soon"}, {"retry-after": "-3"}, {"retry-after": "nan"}):
        assert retry_after(nothing) is None


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abc123def456.",
        "Incorrect API key provided: sk-ab*********3456",
        "header Authorization: Bearer abcdef.ghi-jkl",
        "api_key=0123abcd",
        'api-key: "0123abcd-ef"',
        "hf_abcdefghijkl is not allowed",
        "key AIzaSyA1234567890abcdef",
    ],
)
def test_what_looks_like_a_key_is_hidden(text):
    shown = scrub(text)
    assert "[hidden]" in shown
    for part in ("abc123", "3456", "abcdef", "0123abcd", "AIza"):
        assert part not in shown


def test_text_without_a_key_stays_as_it_is():
    text = "This model's maximum context length is 8192 tokens; the key `limit` is unknown."
    assert scrub(text, "some-secret") == text
