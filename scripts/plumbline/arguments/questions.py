"""What a judge is asked of the items of a data set, state by state: those of one state share their prefix."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from plumbline.arguments.inputs import NotAsked, ReferenceLines, Rendered, Renderer
from plumbline.arguments.material import DatasetFiles
from plumbline.arguments.tokens import TokenCounter
from plumbline.config.argument_cells import (
    ArgumentCell,
    arguments_of,
    input_of,
    judge_decoding,
    judge_of,
)
from plumbline.config.argument_references import YesNo
from plumbline.config.settings import RunConfig
from plumbline.models.first_token import NO, YES, spellings
from plumbline.models.prompts import PromptSet
from plumbline.models.requests import Request
from plumbline.records.arguments import PATHS, ArgumentItem, ProposedCall, Shortened, ValueReference
from plumbline.records.errors import UserError

Unit = ArgumentItem | ProposedCall


NOT_DRAWN = NotAsked("not_asked", "it is not in the sample that the input asks about")


@dataclass(frozen=True, slots=True)
class Question:
    """One judgment that is wanted; `request` is None if the item is not asked, and `not_asked` says why."""

    cell: ArgumentCell
    item_id: str
    replicate: int
    request: Request | None
    not_asked: NotAsked | None = None
    shortened: Shortened | None = None


@dataclass(frozen=True)
class JudgeMaterial:
    """What the cells of one judge on one data set rest on.

    Parameters
    ----------
    config
        The run.
    files
        The data set (its states of the shard, all items of a state together).
    references
        Lines of the references that inputs show, by the input.
    prompts, counter
        The run's prompt files; what counts tokens.
    bases
        Lines of the references that those of `references` are made from, by the input.
    drawn
        Ids of the items, or calls, that an input asks about if it asks a sample of them, by the input.
    """

    config: RunConfig
    files: DatasetFiles
    references: Mapping[str, Sequence[ValueReference]]
    prompts: PromptSet
    counter: TokenCounter
    bases: Mapping[str, Sequence[ValueReference]] = field(default_factory=dict)
    drawn: Mapping[str, Container[str]] = field(default_factory=dict)


def questions(material: JudgeMaterial, cells: Sequence[ArgumentCell]) -> Iterator[Question]:
    """Give all judgments that cells want, in the order in which they are asked.

    Yields
    ------
    Question
        By state, then by input, then by slot: arguments of one state share the beginning of their prompt, and
        candidates of a slot the reference as well.

    Notes
    -----
    Items D1, D13. A judgment is wanted of each item, or of each proposed call if the input asks about calls.
    """
    writers = {cell: _Writer(material, cell) for cell in cells}
    by_slot = sorted(material.files.items, key=lambda item: (item.function, item.parameter))
    values, calls = _by_state(by_slot), _by_state(material.files.calls)
    for state in material.files.states:
        for cell, writer in writers.items():
            of_values = input_of(material.config, cell).unit == "value"
            for unit in (values if of_values else calls).get(state.state_id, ()):
                yield from writer.questions(unit)


def units_of(material: JudgeMaterial, cell: ArgumentCell) -> Sequence[Unit]:
    """Give what a cell judges: the items of its data set, or the proposed calls."""
    of_values = input_of(material.config, cell).unit == "value"
    return material.files.items if of_values else material.files.calls


def asked_units(material: JudgeMaterial, cell: ArgumentCell) -> list[Unit]:
    """Give those of them that a model is asked about, without writing a prompt.

    Left out are items that are not in the sample, whose state has no rung, or whose reference is not ok; one
    that fits no rung with its reference is still counted.
    """
    drawn, chosen = material.drawn.get(cell.input), input_of(material.config, cell)
    lines = ReferenceLines(chosen.reference, material.references.get(cell.input, ()))
    fits = {context.state_id for context in material.files.contexts if context.status == "ok"}
    return [
        unit
        for unit in units_of(material, cell)
        if (drawn is None or unit_id(unit) in drawn)
        and (chosen.context == "full" or unit.state_id in fits)
        and not isinstance(_reference_of(unit, lines), NotAsked)
    ]


def _reference_of(unit: Unit, lines: ReferenceLines) -> object:
    if isinstance(unit, ArgumentItem):
        return lines.find(unit.state_id, unit.function, unit.parameter, unit.call_id)
    return lines.find_of_call(unit)


def unit_id(unit: Unit) -> str:
    """Name an item, or a call."""
    return unit.item_id if isinstance(unit, ArgumentItem) else unit.call_id


def worst_path(call: ProposedCall, items: Iterable[ArgumentItem]) -> str:
    """Give the path of a call: that of its value which comes from farthest; `visible` without values."""
    found = [item.path for item in items if item.call_id == call.call_id]
    return max(found, key=PATHS.index, default=PATHS[0])


def wanted_answers(settings: YesNo) -> tuple[str, ...]:
    """Give the spellings whose log-probabilities are asked for (C-D7)."""
    casefold = settings.tokens == "casefold"
    words = (YES, NO) if settings.normalise else (YES,)
    return tuple(spelling for word in words for spelling in spellings(word, casefold))


class _Writer:
    """Writes the requests of one cell."""

    def __init__(self, material: JudgeMaterial, cell: ArgumentCell) -> None:
        config, self._cell = material.config, cell
        settings, judge = arguments_of(config), judge_of(config, cell)
        if judge.model is None:
            raise UserError(f"judge {cell.judge} compares values; no model is asked.")
        self._items = material.files.items
        self._model = config.models[judge.model]
        self._decoding = judge_decoding(config, cell.judge, cell.input)
        self._drawn = material.drawn.get(cell.input)
        self._replicates = input_of(config, cell).replicates
        self._answers = wanted_answers(settings.yes_no)
        self._top_logprobs = settings.yes_no.top_logprobs
        self._renderer = Renderer(
            settings,
            cell.input,
            states=material.files.states,
            calls=material.files.calls,
            contexts=material.files.contexts,
            references=material.references.get(cell.input, ()),
            base=material.bases.get(cell.input),
            prompts=material.prompts,
            counter=material.counter,
            context_limit=judge.context_limit,
        )

    def questions(self, unit: Unit) -> Iterator[Question]:
        name = unit_id(unit)
        for replicate in range(self._replicates):
            rendered = NOT_DRAWN if self._is_left_out(name) else self._renderer.render(unit)
            if isinstance(rendered, NotAsked):
                yield Question(self._cell, name, replicate, None, rendered)
            else:
                asked = self._request(unit, rendered, replicate)
                yield Question(self._cell, name, replicate, asked, shortened=rendered.shortened)

    def _is_left_out(self, name: str) -> bool:
        return self._drawn is not None and name not in self._drawn

    def _request(self, unit: Unit, rendered: Rendered, replicate: int) -> Request:
        cell = self._cell
        item = f"{cell.dataset}|{unit_id(unit)}|{cell.input}"
        if self._model.engine == "simulated":
            path = unit.path if isinstance(unit, ArgumentItem) else worst_path(unit, self._items)
            about = {"judge": cell.judge, "input": cell.input, "label": unit.label, "path": path}
            drawn = {"kind": "value", **about}
            return Request(item, (), self._decoding, replicate=replicate, simulation=drawn)
        if self._model.engine == "decisions":
            typed = {"state": rendered.state_text, "instructions": rendered.question}
            return Request(item, (), self._decoding, replicate=replicate, typed=typed)
        return Request(
            item,
            rendered.messages,
            self._decoding,
            top_logprobs=self._top_logprobs,
            answers=self._answers,
            replicate=replicate,
        )


def _by_state(units: Iterable[Unit]) -> dict[str, list[Unit]]:
    found: dict[str, list[Unit]] = {}
    for unit in units:
        found.setdefault(unit.state_id, []).append(unit)
    return found
