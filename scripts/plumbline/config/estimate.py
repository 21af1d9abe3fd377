"""Settings of the estimate: what is assumed where nothing was measured yet."""

from __future__ import annotations

from pydantic import Field

from plumbline.config.models import Section, Throughput


class AnswerTokens(Section):
    """Tokens that an answer is taken to have, without thinking."""

    plan: int = Field(default=100, ge=1)
    """A plan."""
    verdict: int = Field(default=160, ge=1)
    """A verdict; with Prometheus-2, the answer on one metric."""
    rewrite: int = Field(default=80, ge=1)
    """Both rewrites of a query."""
    reference: int = Field(default=100, ge=1)
    """A derived reference."""
    opinion: int = Field(default=40, ge=1)
    """What a meta-judge says of one triplet of queries."""
    stage: int = Field(default=530, ge=1)
    """One stage of a synthesis, the mean of the six; the default is that of the starter corpus, its records
    written as such answers."""
    relocation: int = Field(default=80, ge=1)
    """A rewritten request of a relocated data set."""
    proposal: int = Field(default=100, ge=1)
    """The next call at a state."""
    value_reference: int = Field(default=100, ge=1)
    """A reference of one argument value, or of one call."""
    judgment: int = Field(default=200, ge=1)
    """A judgment of an input with thinking. Any other is one token."""


class Estimate(Section):
    """What `plumbline estimate` assumes."""

    characters_per_token: float = Field(default=3.95, gt=0)
    """Characters of a prompt for each token. The default was measured with SmolLM2's tokenizer on prompts of
    the starter corpus and of BFCL, chat template included."""
    answer_tokens: AnswerTokens = Field(default_factory=AnswerTokens)
    """Tokens of an answer, for models that state none of their own and were not measured yet."""
    gpu_tokens_per_second: Throughput = Throughput(prompt=5000, output=1000)
    """Speed of one GPU, for `vllm` models that state none: an assumption, and a rough one."""
    records: int = Field(default=3808, ge=1)
    """Records of a corpus that cannot be read yet; the default is the paper's number."""
    argument_items: int = Field(default=2638, ge=1)
    """Argument values of a data set that is not built yet and is not a whole one of the paper; the default is
    the paper's number for ComplexFuncBench."""
    sample: int = Field(default=24, ge=1)
    """Records whose prompts are written and measured; the rest is taken to be like them. Of a data set of
    argument judging it is a third as many states: each has several values."""
