"""Files between the stages hold what models say, however odd, and can be read again."""

from plumbline.records import Verdict, read_json_lines, write_json_lines


def test_a_lone_surrogate_becomes_the_replacement_character(tmp_path):
    verdict = Verdict(
        record_id="r1",
        tier="easy",
        generator="g",
        judge="j",
        condition="c",
        status="malformed",
        text="a\ud800b",
    )
    write_json_lines([verdict], tmp_path / "verdicts.jsonl")
    (found,) = read_json_lines(tmp_path / "verdicts.jsonl", Verdict)
    assert found.text == "a\ufffdb"
