"""What must change for a job of argument judging to run again, beside its files and its code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from plumbline.config.argument_cells import (
    ArgumentCell,
    arguments_of,
    input_of,
    judge_decoding,
    judge_of,
    proposer_decoding,
    reference_decoding,
    rewriter_model,
    sampled_datasets,
    shown_reference,
)
from plumbline.config.argument_datasets import FintraceDataset
from plumbline.config.argument_references import Evidence
from plumbline.config.models import Decoding
from plumbline.config.settings import RunConfig
from plumbline.config.tokenizers import tokenizer_source

Answerer = Callable[[str], Any]
"""Gives all of a model that can change an answer, by its name."""

ONLY_OF_CALLS = {"proposers", "rules", "later_gold", "synonyms"}
"""Settings of a data set that decide which calls are judged, and nothing of its states."""

NO_ANSWERS = {"arm"}
"""How tables call an input changes no answer."""

READ_BY_TABLES = {"tables", "averaged", "averaged_by_input"}
"""What of a block its tables read, and its frames do not."""


class ArgumentIdentity:
    """Gives the identities of the jobs, as values that are written as JSON.

    Parameters
    ----------
    config
        The run.
    answerer
        What of a model can change an answer.
    """

    def __init__(self, config: RunConfig, answerer: Answerer) -> None:
        self._config = config
        self._answerer = answerer

    def states(self, dataset: str) -> Any:
        """Of the states of a data set: its source and its sample."""
        settings = arguments_of(self._config)
        chosen = settings.datasets[dataset]
        of = getattr(chosen, "of", None)
        shown: list[Any] = [settings.window, self._matching_of_paths()] if of is not None else []
        if chosen.kind == "hc":  # what is another period decides what is a value H
            origin = settings.datasets.get(chosen.of)
            shown.append(origin.synonyms if isinstance(origin, FintraceDataset) else None)
        source = chosen.model_dump(mode="json", exclude=ONLY_OF_CALLS)
        return [source, self._config.seed, shown]

    def calls(self, dataset: str) -> Any:
        """Of the proposed calls of a data set."""
        return [arguments_of(self._config).datasets[dataset], self._config.seed]

    def contexts(self) -> Any:
        """Of what Plain shows of states."""
        settings = arguments_of(self._config)
        prompts = sorted({f"{one.unit} {one.prompt}" for one in settings.inputs.values() if self._bare(one)})
        return [settings.window, settings.ladder, prompts, self._spoken(), self._tokenizer(), self._schemas()]

    def items(self) -> Any:
        """Of the items of data sets: how paths are found."""
        return [arguments_of(self._config).window, self._matching_of_paths()]

    def proposals(self, proposer: str) -> Any:
        """Of what a proposer is asked."""
        chosen = arguments_of(self._config).proposers[proposer]
        decoding = proposer_decoding(self._config, proposer)
        return [chosen, decoding, self._answerer(chosen.model), self._attempts(decoding)]

    def relocations(self, dataset: str) -> Any:
        """Of what a rewriter is asked; where the value stands plays no part."""
        chosen = arguments_of(self._config).datasets[dataset]
        model = rewriter_model(self._config, dataset) or ""
        decoding = self._config.models[model].decoding
        asked = chosen.model_dump(mode="json", exclude={"placement"})
        return [asked, decoding, self._answerer(model), self._attempts(decoding)]

    def reference(self, name: str, model: str) -> Any:
        """Of what the writer of a reference is asked."""
        settings = arguments_of(self._config)
        decoding = reference_decoding(self._config, name, model)
        shown = [settings.window, self._spoken(), self._tokenizer(), self._schemas()]
        return [
            settings.references[name],
            decoding,
            self._answerer(model),
            self._attempts(decoding),
            shown,
        ]

    def read_reference(self, name: str, model: str) -> Any:
        """Of how a reference is read as well."""
        settings = arguments_of(self._config)
        evidence = isinstance(settings.references[name], Evidence)
        snippets = settings.snippets if evidence else None
        return [self.reference(name, model), settings.parser, snippets]

    def made_reference(self, name: str) -> Any:
        """Of a reference that is made from another one."""
        return arguments_of(self._config).references[name]

    def lane(self, cells: Iterable[ArgumentCell]) -> Any:
        """Of what a judge is asked in one job."""
        return [[f"{cell.dataset} {cell.input}", self.asked(cell)] for cell in cells]

    def cell(self, cell: ArgumentCell) -> Any:
        """Of one cell's judgments: what is asked, and how paths are found if each input has its own."""
        paths = arguments_of(self._config).paths
        return [self.asked(cell), self._matching_of_paths() if paths.context == "input" else None]

    def asked(self, cell: ArgumentCell) -> Any:
        """Of what is asked in one cell."""
        settings = arguments_of(self._config)
        chosen = input_of(self._config, cell)
        model = judge_of(self._config, cell).model or ""
        decoding = judge_decoding(self._config, cell.judge, cell.input)
        reference = shown_reference(self._config, cell)
        own_limit = judge_of(self._config, cell).context_limit if chosen.context == "full" else None
        around = [settings.snippets, settings.facts_around] if chosen.add != "none" else None
        sampled = sampled_datasets(self._config, cell)
        return [
            chosen.model_dump(mode="json", exclude=NO_ANSWERS),
            [self._config.seed, sampled] if sampled else None,
            None if reference is None else f"{reference.name} {reference.model}",
            [decoding, self._answerer(model), self._attempts(decoding)],
            [settings.window, settings.ladder, settings.yes_no, self._spoken()],
            [around, self._tokenizer(), self._schemas(), own_limit],
        ]

    def matching(self, cell: ArgumentCell) -> Any:
        """Of the free baseline's judgments of one cell."""
        reference = shown_reference(self._config, cell)
        matched = None if reference is None else f"{reference.name} {reference.model}"
        return [matched, input_of(self._config, cell).replicates]

    def block(self, block: str) -> Any:
        """Of a block's frames: its cells."""
        return arguments_of(self._config).blocks[block].model_dump(mode="json", exclude=READ_BY_TABLES)

    def tables(self, block: str) -> Any:
        """Of the tables of a block: everything of the section that is not asked."""
        settings = arguments_of(self._config)
        readings = settings.model_dump(mode="json", exclude={"blocks", "proposers", "parser", "yes_no"})
        chosen = settings.blocks[block].model_dump(mode="json", exclude={"tables"})
        return [chosen, readings, self._simulated()]

    def _bare(self, chosen: Any) -> bool:
        return chosen.context == "plain" and chosen.reference is None and chosen.add == "none"

    def _attempts(self, decoding: Decoding) -> int:
        return self._config.verdicts.attempts if decoding.is_sampled else 0

    def _matching_of_paths(self) -> Any:
        """Give how paths are found in what Plain shows; for which inputs that counts plays no part."""
        return arguments_of(self._config).paths.model_dump(mode="json", exclude={"context"})

    def _spoken(self) -> list[str]:
        """Give whose text is dialogue, and whether what the assistant said is history."""
        paths = arguments_of(self._config).paths
        return [paths.assistant_text, paths.system_text]

    def _tokenizer(self) -> str:
        return tokenizer_source(arguments_of(self._config), self._config.models)

    def _schemas(self) -> Any:
        """Give the kinds of the data sets: they decide the window, and what a parameter's line shows."""
        settings = arguments_of(self._config)
        kinds = {name: chosen.kind for name, chosen in settings.datasets.items()}
        return [kinds, settings.parameter_line]

    def _simulated(self) -> list[Any]:
        models = self._config.models.values()
        return [model.simulation.values for model in models if model.engine == "simulated"]
