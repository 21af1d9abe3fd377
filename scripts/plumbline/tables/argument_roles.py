"""What an input, a data set or a judge of a run is called in the paper, found from its settings."""

from __future__ import annotations

from plumbline.config.argument_references import ArgumentInput, DerivedValue
from plumbline.config.arguments import Arguments
from plumbline.tables.argument_inputs import ArgumentInputs

SHOWN = {
    "revise_call": "reviseval",
    "evidence": "provenanceguard_evidence",
    "value_only": "value_only",
    "swap": "swapped",
}
"""Inputs by the kind of reference that they show, as in deref_claims.csv."""


def role(arguments: Arguments, name: str) -> str:
    """Give the paper's name of an input (`deref_claims.csv`, column `input`).

    Parameters
    ----------
    arguments
        The run's settings.
    name
        An input of the run.

    Returns
    -------
    str
        `plain`, `full_history`, `deref`, `deref_full`, `deref_seed` (the same with another seed),
        `deref_other` (another author or prompt), `deref_v`, `deref_cut`, `self_generated_reference`,
        `reviseval`, `provenanceguard_evidence`, `value_only`, `swapped`, `snippets`, `schema_facts`,
        `direct_thinking_plain`, `direct_thinking_full`, or, with a reference that it shows as well,
        `thinking_ROLE`; `whole_call_ROLE` if it asks about whole calls; `full_ROLE` for another reference
        beside the full history.
    """
    asked = arguments.inputs[name]
    found = _of_values(arguments, asked)
    return f"whole_call_{found}" if asked.unit == "call" else found


def _of_values(arguments: Arguments, asked: ArgumentInput) -> str:
    full, thinking = asked.context == "full", asked.decoding.thinking is True
    if asked.reference is None:
        if asked.add != "none":
            return asked.add if not full else f"full_{asked.add}"
        if thinking:
            return "direct_thinking_full" if full else "direct_thinking_plain"
        return "full_history" if full else "plain"
    shown = reference_role(arguments, asked.reference)
    if full:
        shown = "deref_full" if shown == "deref" else f"full_{shown}"
    return f"thinking_{shown}" if thinking else shown


def reference_role(arguments: Arguments, name: str) -> str:
    """Give the paper's name of a reference, as that of the plain input that shows it."""
    reference = arguments.references[name]
    if reference.kind != "derive_value":
        return SHOWN[reference.kind]
    if reference.sees_candidate:
        return "deref_v"
    if reference.context == "plain":
        return "self_generated_reference" if reference.model is None else "deref_cut"
    return _derived_role(arguments, reference)


def _derived_role(arguments: Arguments, reference: DerivedValue) -> str:
    """Say whether a reference from the full history is the run's first one, or that with another seed."""
    first = next(
        each
        for each in arguments.references.values()
        if each.kind == "derive_value" and each.context == "full" and not each.sees_candidate
    )
    if reference == first:
        return "deref"
    seeded = reference.decoding.model_copy(update={"seed": first.decoding.seed})
    return "deref_seed" if reference.model_copy(update={"decoding": seeded}) == first else "deref_other"


def inputs_of(inputs: ArgumentInputs, *roles: str) -> list[str]:
    """Give the inputs of a block that have one of these roles, in its order."""
    return [name for name in inputs.every_input if role(inputs.arguments, name) in roles]


def first_of(inputs: ArgumentInputs, wanted: str) -> str | None:
    """Give the first input of a block with a role; None if it has none."""
    found = inputs_of(inputs, wanted)
    return found[0] if found else None


def paper_dataset(arguments: Arguments, name: str) -> str:
    """Give the paper's name of a data set; that of its kind if the paper has none like it."""
    chosen = arguments.datasets[name]
    if chosen.kind == "relocate":
        return f"{arguments.datasets[chosen.of].kind}_relocate_{chosen.placement}"
    if chosen.kind == "hc":
        return f"{arguments.datasets[chosen.of].kind}_hc"
    if chosen.kind in ("reveal", "placebo"):
        return arguments.datasets[chosen.of].kind
    return chosen.kind
