"""Chat templates of ours, rendered as vLLM and the model hub render them (A39)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment

from plumbline.config.vllm_flags import options

MESSAGES = [{"role": "user", "content": "Rate this plan.\n\n# Plan\n[]"}]
TURN = "<|im_start|>user\nRate this plan.\n\n# Plan\n[]<|im_end|>\n"


def rendered(root: Path, messages: list[dict[str, str]], **more: Any) -> str:
    models = yaml.safe_load((root / "config" / "models.yaml").read_text())["models"]
    flags = dict(option for option in options(models["qwq_32b"]["vllm"]["flags"]) if len(option) == 2)
    assert "--reasoning-parser" not in flags
    text = (root / flags["--chat-template"]).read_text()
    # the settings with which both render a template
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(text).render(messages=messages, add_generation_prompt=True, **more)


@pytest.mark.parametrize("switch", [{}, {"enable_thinking": True}])
def test_thinking_stays_open_unless_it_is_switched_off(switch: dict[str, bool], project_root: Path) -> None:
    assert rendered(project_root, MESSAGES, **switch) == f"{TURN}<|im_start|>assistant\n<think>\n"


def test_with_thinking_off_the_reasoning_is_closed_and_empty(project_root: Path) -> None:
    expected = f"{TURN}<|im_start|>assistant\n<think>\n\n</think>\n\n"
    assert rendered(project_root, MESSAGES, enable_thinking=False) == expected


def test_earlier_turns_keep_their_order_and_lose_their_reasoning(project_root: Path) -> None:
    before = [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": "And this?"},
        {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nGood."},
    ]
    expected = "<|im_start|>system\nBe strict.<|im_end|>\n<|im_start|>user\nAnd this?<|im_end|>\n"
    expected += f"<|im_start|>assistant\nGood.<|im_end|>\n{TURN}<|im_start|>assistant\n<think>\n"
    assert rendered(project_root, [*before, *MESSAGES]) == expected
