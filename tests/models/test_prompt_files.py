"""Prompts are files with placeholders; what is wrong with one is said with its name."""

from __future__ import annotations

import pytest

from plumbline.models.prompts import PromptSet
from plumbline.records import UserError


@pytest.fixture
def write(tmp_path):
    def write_files(**files):
        for name, text in files.items():
            (tmp_path / f"{name.replace('__', '.')}.md").write_text(text, encoding="utf-8")
        return PromptSet(tmp_path)

    return write_files


def test_a_prompt_has_a_user_message_and_a_system_message_if_there_is_a_file(write):
    prompts = write(a__user="Hello {{ who }}", b__user="u", b__system="s {{ who }}\n")
    assert prompts.messages("a", who="you") == ({"role": "user", "content": "Hello you"},)
    assert prompts.messages("b", who="you") == (
        {"role": "system", "content": "s you"},
        {"role": "user", "content": "u"},
    )


def test_text_is_inserted_as_it_is_and_everything_else_as_json(write):
    prompts = write(a__user="{{ text }}|{{ data }}|{{ none }}|{{ yes }}")
    (message,) = prompts.messages("a", text='<b>"é"</b>\n', data=[{"k": "é"}], none=None, yes=True)
    assert message["content"] == '<b>"é"</b>\n|[\n  {\n    "k": "é"\n  }\n]|null|true'


def test_placeholders_inside_values_are_not_rendered(write):
    (message,) = write(a__user="{{ query }}").messages("a", query="{{ 7 * 7 }}{% raw %}", tools="x")
    assert message["content"] == "{{ 7 * 7 }}{% raw %}"


def test_a_placeholder_without_a_value_is_an_error_that_names_file_and_placeholder(write):
    prompts = write(a__user="{{ query }} {{ tols }}")
    with pytest.raises(UserError, match=r"a\.user\.md: 'tols' is undefined. It may use: query, tools"):
        prompts.messages("a", query="q", tools="t")


def test_a_prompt_that_asks_the_same_of_every_item_is_an_error(write):
    with pytest.raises(UserError, match=r"a\.user\.md: has no placeholder.*may use: {{ blocks }}\.$"):
        write(a__user="Judge.").messages("a", blocks="x")
    assert write(a__user="Judge.", a__system="{{ blocks }}").messages("a", blocks="x")


@pytest.mark.parametrize("text", ["{{ 1 // 0 }}{{ query }}", "{% include query %}", "{{ query + 1 }}"])
def test_a_template_that_fails_is_an_error_with_its_file(write, text):
    with pytest.raises(UserError, match=r"a\.user\.md: cannot be filled in"):
        write(a__user=text).messages("a", query="q")


def test_a_missing_file_is_an_error_that_lists_the_others(write):
    with pytest.raises(UserError, match=r"judge\.user\.md is missing.*has: a\.$"):
        write(a__user="x").messages("judge")


def test_a_broken_template_is_an_error_with_its_line(write):
    with pytest.raises(UserError, match=r"a\.user\.md, line 2"):
        write(a__user="fine\n{{ broken").messages("a")


def test_the_digest_changes_with_each_file_of_the_prompt_and_with_no_other(write):
    digests = [write(a__user="x").digest("a")]
    assert write(b__user="y").digest("a") == digests[0]
    digests.append(write(a__user="y").digest("a"))
    digests.append(write(a__system="x").digest("a"))
    assert len(set(digests)) == 3
