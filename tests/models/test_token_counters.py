"""Tokens are counted by a model's own tokenizer (C-D18)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plumbline.config.arguments import Arguments
from plumbline.config.models import Model
from plumbline.config.tokenizers import tokenizer_file, tokenizer_source
from plumbline.models.tokens import CharacterCounter, GgufTokenizer, load_counter
from plumbline.records import UserError

# a tokenizer that knows five words, as Hugging Face's library writes it; `truncation` must not count
WORDS = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {
        "type": "WordLevel",
        "vocab": {"a": 0, "b": 1, "c": 2, "?": 3, "[UNK]": 4},
        "unk_token": "[UNK]",
    },
}


@pytest.fixture(scope="module")
def gguf(embedded_weights: Path) -> GgufTokenizer:
    return GgufTokenizer(embedded_weights)


def test_a_tokenizer_file_counts_all_tokens_of_a_text(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(WORDS), encoding="utf-8")
    counter = load_counter(str(file))
    assert counter.name == str(file)
    assert [counter.count(text) for text in ("", "a b c", "a b c?", "z \ud800")] == [0, 3, 4, 2]


@pytest.mark.parametrize("text", [None, "{}", "not json"])
def test_a_file_that_is_no_tokenizer_is_named_with_a_remedy(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "tokenizer.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"ladder\.tokenizer: .*tokenizer\.json cannot be loaded"):
        load_counter(str(file))


def test_a_gguf_file_that_is_missing_or_broken_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"weights\.gguf is missing"):
        load_counter(str(tmp_path / "weights.gguf"))
    (tmp_path / "weights.gguf").write_bytes(b"GGUF")
    with pytest.raises(UserError, match=r"weights\.gguf holds no tokenizer"):
        load_counter(str(tmp_path / "weights.gguf"))


def test_a_gguf_file_s_tokenizer_counts_as_its_vocabulary_says(
    gguf: GgufTokenizer,
) -> None:
    # SmolLM2 parts numbers into digits; `<|im_end|>` is one token of its vocabulary
    assert gguf.count("") == 0
    assert gguf.count("1234567") == 7
    assert gguf.count("<|im_end|>") == 1


def test_a_long_text_is_counted_beyond_the_model_s_context(gguf: GgufTokenizer) -> None:
    # the context is 8,192 tokens; " word" is one token of the vocabulary, "word" at the beginning another
    assert gguf.count("word" + " word" * 29_999) == 30_000
    assert gguf.count("7" * 20_000) == 20_000


@pytest.mark.parametrize("text", ["\ud83d alone", "a\x00b", "\U0001f468\u200d\U0001f469" * 700, "\n" * 3000])
def test_odd_text_is_counted(gguf: GgufTokenizer, text: str) -> None:
    assert gguf.count(text) > 0


def test_parts_of_a_text_count_about_as_much_as_the_text(gguf: GgufTokenizer) -> None:
    parts = [
        '=== 4a5b6c return 1\n{"hotels": [{"id": 7}]}\n=== 4a5b6c end',
        "\n\n# The argument\n\nFunction: f",
        "\n\nRight?",
    ]
    apart = sum(gguf.count(part) for part in parts)
    assert abs(apart - gguf.count("".join(parts))) <= len(parts) - 1


def test_a_quarter_of_the_characters_stands_in_where_nothing_is_read() -> None:
    assert [CharacterCounter().count(text) for text in ("", "abcd", "abcde")] == [0, 1, 2]
    assert load_counter("characters").name == "characters/4"


@pytest.mark.parametrize(
    ("engines", "source"),
    [
        (["embedded", "vllm"], "w.gguf"),
        (["vllm"], "Qwen/Qwen3-8B"),
        (["simulated"], "characters"),
        (["simulated", "endpoint"], "Qwen/Qwen3-8B"),
    ],
)
def test_a_run_counts_by_its_first_embedded_judge_else_by_the_paper_s_encoder(
    engines: list[str], source: str
) -> None:
    models = {
        engine: Model.model_validate(
            {
                "engine": engine,
                "embedded": {"backend": "llamacpp", "file": "w.gguf"},
                "base_url": "https://host.example/v1" if engine == "endpoint" else None,
            }
        )
        for engine in engines
    }
    arguments = Arguments.model_validate(
        {
            "datasets": {"cfb": {"kind": "cfb"}},
            "judges": {engine: {"model": engine} for engine in engines},
            "inputs": {"plain": {}},
            "blocks": {"b": {"inputs": ["plain"]}},
        }
    )
    assert tokenizer_source(arguments, models) == source
    assert tokenizer_file(arguments, models) == (source if source == "w.gguf" else None)
    named = arguments.model_copy(
        update={"ladder": arguments.ladder.model_copy(update={"tokenizer": "t.json"})}
    )
    assert tokenizer_file(named, models) == "t.json"
