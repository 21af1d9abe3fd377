"""The estimate as text for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from plumbline.config.settings import RunConfig
from plumbline.estimation.basis import Basis, basis_of
from plumbline.estimation.counting import Load, count, dollars, hours

_HEADS = ("model", "asked for", "cells", "requests", "prompt", "uncached", "answers", "GPU hours", "US $")


def estimate_text(config: RunConfig, root: Path) -> str:
    """Estimate what a run takes, and say how.

    Parameters
    ----------
    config
        The run.
    root
        Folder of all runs.

    Returns
    -------
    str
        A table with one line for each model and role, what was assumed, and how far the same estimate is off
        on the answers that the run has.
    """
    basis = basis_of(config, root)
    loads = count(basis, root)
    parts = [
        f"Estimate of run {config.run}: {_size(basis)}\n",
        *_table(loads, basis.config),
        "",
        *_how(loads, basis),
        *_comparisons(loads),
    ]
    return "\n".join(parts)


def _size(basis: Basis) -> str:
    values = [one.items for one in basis.arguments.datasets.values()] if basis.arguments else []
    parts = [f"{basis.records:,} records"] if basis.config.judges_plans else []
    parts += [f"{sum(values):,.0f} argument values"] if values else []
    return ", ".join(parts)


def _table(loads: Sequence[Load], config: RunConfig) -> Iterator[str]:
    rows = [_row(load, config) for load in loads]
    rows.append(_total(loads, config))
    widths = [max(len(row[place]) for row in (_HEADS, *rows)) for place in range(len(_HEADS))]
    for number, row in enumerate((_HEADS, *rows)):
        if number == len(rows):
            yield "-" * (sum(widths) + 2 * len(widths) - 2)
        cells = [
            text.ljust(width) if place < 2 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _row(load: Load, config: RunConfig) -> tuple[str, ...]:
    model = config.models[load.model]
    time, price = hours(load, config), dollars(load, model)
    return (
        load.model,
        f"{load.role}s",
        f"{load.cells:,}",
        f"{load.requests:,.0f}",
        _tokens(load.prompt),
        _tokens(load.prompt - load.cached),
        _tokens(load.output),
        "–" if time is None or not model.gpus else f"{time * model.gpus:,.1f}",
        "–" if price is None else f"{price:,.2f}",
    )


def _total(loads: Sequence[Load], config: RunConfig) -> tuple[str, ...]:
    gpu = [
        time * config.models[load.model].gpus
        for load in loads
        if config.models[load.model].gpus and (time := hours(load, config)) is not None
    ]
    prices = [price for load in loads if (price := dollars(load, config.models[load.model])) is not None]
    return (
        "total",
        "",
        f"{sum(load.cells for load in loads):,}",
        f"{sum(load.requests for load in loads):,.0f}",
        _tokens(sum(load.prompt for load in loads)),
        _tokens(sum(load.prompt - load.cached for load in loads)),
        _tokens(sum(load.output for load in loads)),
        f"{sum(gpu):,.1f}" if gpu else "–",
        f"{sum(prices):,.2f}" if prices else "–",
    )


def _tokens(count: float) -> str:
    """Write a number of tokens with three digits or so."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f}"


def _how(loads: Sequence[Load], basis: Basis) -> Iterator[str]:
    """Say how the numbers came about."""
    settings = basis.config.estimate
    yield "How this is estimated"
    yield from (f"* {note}" for note in basis.notes)
    yield (
        f"* A prompt has a token for every {settings.characters_per_token:g} characters "
        "(estimate.characters_per_token)."
    )
    yield (
        "* `uncached` leaves out what a prompt begins with as the one before it does, in the order of "
        "asking: with a prefix cache that keeps at least the last prompt, only these are computed."
    )
    for measured, words in (
        (False, "are assumed (models.NAME.answer_tokens, estimate.answer_tokens)"),
        (True, "as measured on this run"),
    ):
        answers = _answers(load for load in loads if load.is_measured == measured and load.output)
        if answers:
            yield f"* Tokens of an answer {words}: {answers}."
    yield from _speeds(loads, basis.config)
    yield "* Repeated attempts, and answers that the journal has from other runs, are not counted."


def _answers(loads: Iterable[Load]) -> str:
    """Name the models by the length of their answers."""
    grouped: dict[tuple[str, int], list[str]] = {}
    for load in loads:
        grouped.setdefault((load.role, round(load.output / load.requests)), []).append(load.model)
    return "; ".join(
        f"{tokens:,} for each {role} ({', '.join(models)})" for (role, tokens), models in grouped.items()
    )


def _speeds(loads: Sequence[Load], config: RunConfig) -> Iterator[str]:
    models = {load.model: config.models[load.model] for load in loads}
    guessed = [slug for slug, m in models.items() if m.engine == "vllm" and m.tokens_per_second is None]
    if guessed:
        speed = config.estimate.gpu_tokens_per_second
        yield (
            f"* GPU hours of {', '.join(guessed)} go by an assumed speed of {speed.prompt:g} prompt and "
            f"{speed.output:g} answer tokens a second and GPU; set models.NAME.tokens_per_second once you "
            "know it."
        )
    unpriced = [
        slug
        for slug, model in models.items()
        if model.engine == "endpoint" and not (model.prices.input or model.prices.output)
    ]
    if unpriced:
        yield f"* No price is set for {', '.join(unpriced)} (models.NAME.prices): their money is not counted."


def _comparisons(loads: Sequence[Load]) -> Iterator[str]:
    compared = [load for load in loads if load.comparison is not None]
    if not compared:
        return
    yield "\nHow far the same estimate is off on answers that this run has"
    for load in compared:
        found = load.comparison
        assert found is not None
        prompts = _beside(found.prompt_estimated, "estimated", found.prompt_measured)
        answers = _beside(found.output_estimated, "assumed", found.output_measured)
        yield f"* {load.model}, {found.answers} {load.role}s: prompts {prompts}; answers {answers}."


def _beside(estimated: float, how: str, measured: float) -> str:
    off = f"{100 * (estimated / measured - 1):+.1f} %" if measured else "nothing measured"
    return f"{_tokens(estimated)} {how}, {_tokens(measured)} measured ({off})"
