"""Numbers of the DeRef paper that are settings: a run has them or has others, and neither is a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plumbline.config.argument_references import MOST_QUOTES, DerivedValue, Evidence
from plumbline.config.arguments import Arguments
from plumbline.tables.argument_claim_counts import NO_ROW, data_sets
from plumbline.tables.argument_roles import paper_dataset, reference_role
from plumbline.tables.claims import Found, NotRunError

Claimed = Mapping[str, str]
Setting = Callable[[Arguments, Claimed], Found]


def setting_of(theirs: Claimed) -> Setting | None:
    """Give how a run answers a claim by its settings; None if the claim is about no setting."""
    return _SETTINGS.get((theirs["claim_id"], theirs["quantity"]))


def _one(read: Callable[[Arguments], float]) -> Setting:
    def number(arguments: Arguments, theirs: Claimed) -> Found:
        value = read(arguments)
        return Found(value, value)

    return number


def _each(read: Callable[[Arguments, str], float | None]) -> Setting:
    """Read a setting of every data set that the claim names."""

    def number(arguments: Arguments, theirs: Claimed) -> Found:
        meant = [name for name in arguments.datasets if paper_dataset(arguments, name) in data_sets(theirs)]
        values = [value for name in meant if (value := read(arguments, name)) is not None]
        if not values:
            raise NotRunError(NO_ROW)
        return Found(min(values), max(values))

    return number


def _steps(arguments: Arguments, dataset: str) -> float:
    window = arguments.window
    named = window.steps_by_dataset
    return named.get(arguments.known_as(dataset, named), window.steps)


def _percentiles(arguments: Arguments, theirs: Claimed) -> Found:
    tail = 50 * (1 - arguments.bootstrap.level)
    return Found(tail, 100 - tail)


def _evidence(arguments: Arguments) -> Evidence:
    for reference in arguments.references.values():
        if isinstance(reference, Evidence):
            return reference
    raise NotRunError(NO_ROW)


def _around_evidence(arguments: Arguments, dataset: str) -> float:
    chosen = _evidence(arguments)
    named = chosen.around_by_dataset
    around = named.get(arguments.known_as(dataset, named), chosen.around)
    return arguments.snippets.around if around is None else around


def _quotes(arguments: Arguments) -> float:
    _evidence(arguments)
    return MOST_QUOTES


def _own_tokens(arguments: Arguments) -> float:
    for name, reference in arguments.references.items():
        if reference_role(arguments, name) == "self_generated_reference":
            assert isinstance(reference, DerivedValue)
            if reference.decoding.max_tokens is not None:
                return reference.decoding.max_tokens
    raise NotRunError(NO_ROW)


def _more_seeds(arguments: Arguments) -> float:
    roles = [reference_role(arguments, name) for name in arguments.references]
    if "deref" not in roles:
        raise NotRunError(NO_ROW)
    return roles.count("deref_seed")


def _deleted(arguments: Arguments, dataset: str) -> float | None:
    share = arguments.deletion_shares.get(dataset)
    return None if share is None else 100 * share


_SETTINGS: dict[tuple[str, str], Setting] = {
    ("D9", "shown_steps"): _each(_steps),
    ("D9", "shown_calls_of_earlier_turns"): _each(_steps),
    ("D9", "shown_characters_per_return"): _one(lambda arguments: arguments.window.cut),
    ("D10", "clm_token_limit"): _one(lambda arguments: arguments.ladder.limit),
    ("D10", "minimum_request_tokens"): _one(lambda arguments: arguments.ladder.request_left),
    ("D12", "qwen_token_limit"): _one(lambda arguments: arguments.ladder.full_limit),
    ("D17", "accepted_share_of_correct_at_tau"): _one(lambda arguments: 100 * arguments.gap.rate),
    ("D20", "resamples"): _one(lambda arguments: arguments.bootstrap.resamples),
    ("D20", "seed"): _one(lambda arguments: arguments.bootstrap.seed),
    ("D20", "ci_percentiles"): _percentiles,
    ("D26", "quote_width"): _one(lambda arguments: arguments.facts_around),
    ("D37", "extra_deriver_seeds"): _one(_more_seeds),
    ("D38", "chars_each_side"): _one(lambda arguments: arguments.snippets.around),
    ("D38", "max_snippet"): _one(lambda arguments: arguments.snippets.longest),
    ("D38", "max_snippets"): _one(lambda arguments: arguments.snippets.count),
    ("D39", "max_quotes"): _one(_quotes),
    ("D39", "chars_each_side"): _each(_around_evidence),
    ("D41", "max_new_tokens"): _one(_own_tokens),
    ("D43", "deleted_share_of_wrong"): _each(_deleted),
}
