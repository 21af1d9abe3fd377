"""The nouns of argument judging, as they stand in the files between the stages (docs/formats.md)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from plumbline.records.model import Item, Tool, ToolCall, Usage

PATHS = ("visible", "history_only", "format", "default", "no_source")
"""Where an argument value comes from (D2), in the order in which they are tried."""

OUT_OF_VIEW = PATHS[1:]
"""The paths of a value that the judge does not see in its context (D3)."""

Path = Literal["visible", "history_only", "format", "default", "no_source"]
Label = Literal["correct", "wrong", "unlabelled"]
Role = Literal["system", "user", "assistant"]


class HistoryCall(Item):
    """A call of the history; `returns` is the text that came back, None if nothing did."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    returns: str | None = None


class Turn(Item):
    """One turn of the history: what the user said, or what the assistant said and called."""

    role: Role
    text: str | None = None
    calls: tuple[HistoryCall, ...] = ()

    @property
    def is_step(self) -> bool:
        """Whether the turn is a step: it holds calls, with their returns."""
        return bool(self.calls)


class WrittenCalls(Item):
    """Calls that someone wrote for a step: `made_by` is a proposer's slug or ``import:NAME``.

    `positions` are those of the gold calls in whose place they stand, where the source settles that; it then
    settles as well that a checker finds a wrong value in them.
    """

    made_by: str
    calls: tuple[ToolCall, ...]
    positions: tuple[int, ...] | None = None


class Revealed(Item):
    """A step that is shown although the window lost it (D25).

    Of a long return the characters from `start` to `end` are shown; `call` is its place in the step, None
    if the whole step is shown as it stands.
    """

    turn: int
    call: int | None = None
    start: int | None = None
    end: int | None = None


class State(Item):
    """Where a call is judged: the full history H before it, and the functions that are offered there.

    `query_id` is the unit that is resampled: states of one query are drawn together (D20). `turns` are the
    turns before the step under judgment, oldest first. `gold` are the correct calls of the step, in
    order; `accepted` gives, for each of them, the values that a checker accepts for each parameter (BFCL);
    with `of_gold_alone` these are the values of the gold calls, and what they do not pass may be right too.
    `written` are calls of others that the source brings along. No judge sees any of these.
    """

    state_id: str = Field(min_length=1)
    query_id: str = Field(min_length=1)
    dataset: str
    turns: tuple[Turn, ...]
    functions: tuple[Tool, ...]
    gold: tuple[ToolCall, ...]
    accepted: tuple[dict[str, Any], ...] | None = None
    of_gold_alone: bool | None = None
    written: tuple[WrittenCalls, ...] = ()
    reveal: Revealed | None = None


class Proposal(Item):
    """What a proposer answered when asked for the next call at a gold state; `calls` is None unless ok."""

    state_id: str
    dataset: str
    proposer: str
    status: str
    calls: tuple[ToolCall, ...] | None = None
    text: str | None = None
    detail: str | None = None
    usage: Usage | None = None


class RelocatedRequest(Item):
    """A request that a model rewrote so that one value is named by a saved entry (D22); None unless ok.

    `state_id` is the state of the data set whose value is moved. Beside the words for any answer,
    `value_kept` says that the text still states the value, `entry_missing` that it does not name the entry,
    `values_lost` that another value of the gold call is gone.
    """

    state_id: str
    dataset: str
    model: str
    status: str
    text: str | None = None
    detail: str | None = None
    usage: Usage | None = None


class ProposedCall(Item):
    """A call under judgment.

    `made_by` says who wrote it: `gold`, a proposer's slug, `import:NAME`, or a rule such as
    ``rule:shift_date``. `position` is its place among the parallel calls of its step. `changed` names the
    parameters that differ from the gold call; `labels` gives the label of each argument. `twin` is the
    correct call of the same state and position.
    """

    call_id: str = Field(min_length=1)
    state_id: str
    query_id: str
    dataset: str
    function: str
    arguments: dict[str, Any]
    label: Literal["correct", "wrong"]
    made_by: str
    position: int = 0
    changed: tuple[str, ...] = ()
    labels: dict[str, Label] = Field(default_factory=dict)
    twin: str | None = None


class Found(Item):
    """Where the text of a value was matched: the turn of the history, the part of it, and the place.

    `turn` is an index of the state's `turns`, None for the schema. `start` and `end` count characters of the
    part's text; `text` is what stands there.
    """

    part: Literal["user", "assistant", "call", "return", "schema"]
    turn: int | None = None
    call: int | None = None
    start: int = 0
    end: int = 0
    text: str = ""


class ArgumentItem(Item):
    """One argument value of one proposed call (D1), its label and its derivation path (D2).

    `short` marks values of at most three characters, which match only as whole tokens. `cut` marks values of
    the path `history_only` that a return holds which is shown, but cut before them (D8). `made_by`
    comes from the call. `twin_item` is the item of the same parameter of the correct call at that state; an
    unlabelled value has one only if it is written as that one is (D44).
    """

    item_id: str = Field(min_length=1)
    state_id: str
    query_id: str
    dataset: str
    function: str
    parameter: str
    value: Any = None
    label: Label
    path: Path
    call_id: str
    short: bool = False
    cut: bool = False
    found: Found | None = None
    made_by: str = "gold"
    twin_item: str | None = None


class StateContext(Item):
    """What Plain shows of a state: the rung of the ladder on which its longest input fits (D9, D10).

    `rung` counts the steps taken down the ladder, 0 for none; `tokens` is the longest input of the state
    after them, counted with `tokenizer`. `kept` is the number of characters that stay of each message of the
    request once it is hollowed out. Without a rung that fits, the status is `overflow`.
    """

    state_id: str
    dataset: str
    status: Literal["ok", "overflow"]
    rung: int = 0
    kept: int | None = None
    tokens: int
    tokenizer: str
    detail: str | None = None


class ValueReference(Item):
    """A made reference for one slot (state, function, parameter), one item, or one call; None unless ok.

    A slot's reference is shared by all its candidates (D15): `item_id` and `call_id` are None. DeRef-v and
    evidence are made for one item, a revised call for one call. `parsed_value` is the value that the text
    states, JSON; it counts only if `parsed` is true (a parsed null is a value). `seconds` is what the server
    worked on it.
    """

    state_id: str
    function: str
    parameter: str | None = None
    item_id: str | None = None
    call_id: str | None = None
    dataset: str
    reference: str
    kind: str
    model: str | None = None
    seed: int | None = None
    status: str
    text: str | None = None
    parsed: bool = False
    parsed_value: Any = None
    detail: str | None = None
    usage: Usage | None = None
    seconds: float | None = None


class Shortened(Item):
    """What the ladder took from the history that an input shows (D10 to D12).

    `rung` counts the steps down the ladder: single returns, then whole steps, then the middle of the request,
    of which `kept` characters stay. `returns` and `steps` are what went of the history. `further` says how
    many rungs lie beyond the one that the input starts on: that of Plain; with the full history that of
    judges without a limit of their own; with a reference that is made from another one that of the input
    with the other one. More of the request's middle on the same rung counts as one.
    """

    rung: int
    kept: int | None = None
    returns: int = 0
    steps: int = 0
    further: int = 0


class Judgment(Item):
    """A judge's probability that a value, or a whole call, is right (D13); `score` is None unless ok.

    `item_id` is an argument item, or the id of a proposed call if the input asks about whole calls.
    `lower` and `upper` bound the score where the server did not report the answer's token. `seconds` is what
    the server worked on it, None where that is unknown. `shortened` is None if the ladder took nothing.
    `path` is that of the value in what this input shows, None if the item's own path counts (C-D6). Judgments
    of one judge with the same `answer` were asked once: their prompts are equal.
    """

    item_id: str
    dataset: str
    judge: str
    input: str
    replicate: int = 0
    status: str
    score: float | None = None
    lower: float | None = None
    upper: float | None = None
    detail: str | None = None
    usage: Usage | None = None
    seconds: float | None = None
    answer: str | None = None
    shortened: Shortened | None = None
    path: Path | None = None
