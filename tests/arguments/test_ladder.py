"""The ladder keeps as much of a history as fits (D10 to D12), by a counter whose counts are arithmetic."""

from __future__ import annotations

from small_run import PROMPTS, Words, call, items_of, reference, renderer, settings, state, step

from plumbline.arguments.contexts import plain_context
from plumbline.arguments.inputs import NotAsked, Rendered
from plumbline.arguments.ladder import fit_states
from plumbline.config.arguments import Arguments
from plumbline.models.prompts import PromptSet
from plumbline.records.arguments import State, StateContext, Turn


def limited(limit: int, **more: object) -> Arguments:
    return settings(ladder={"limit": limit, "request_left": 40, "full_limit": 400}, **more)


def fitted(one: State, arguments: Arguments, calls: list[object] | None = None) -> StateContext:
    return fit_states([one], calls or [call()], arguments, Words(), PromptSet(PROMPTS))[0]  # type: ignore[arg-type]


def words(count: int, word: str = "w") -> str:
    return " ".join([word] * count)


STEPS = state(step("a", words(100)), step("b", words(100)), step("c", words(100)))


def tokens_of(one: State, arguments: Arguments, context: StateContext) -> int:
    """Words of the longest Plain input, counted on the text that is sent."""
    made = renderer(arguments, "plain", one, [call()])
    texts = [made.render(item) for item in items_of(call())]
    longest = max(
        len(f"{text.state_text} {text.question}".split()) for text in texts if isinstance(text, Rendered)
    )
    whole = renderer(arguments, "call", one, [call()]).render(call())
    assert isinstance(whole, Rendered)
    return max(longest, len(f"{whole.state_text} {whole.question}".split()))


def test_a_state_that_fits_stays_on_top() -> None:
    context = fitted(STEPS, limited(2048))
    assert (context.status, context.rung, context.kept, context.tokenizer) == ("ok", 0, None, "words")
    assert context.tokens == tokens_of(STEPS, limited(2048), context)


def test_the_first_rung_that_fits_is_taken() -> None:
    top = fitted(STEPS, limited(2048)).tokens
    # a return of 100 words becomes the 2 of "[left out]"; call and return that go have 12 words with their
    # lines, and 10 say that they are gone
    for less, rung in ((0, 0), (1, 1), (98, 1), (99, 2), (98 + 12 - 10, 2), (98 + 12 - 10 + 1, 3)):
        limit = top - less
        context = fitted(STEPS, limited(limit))
        assert (context.status, context.rung) == ("ok", rung)
        assert context.tokens <= limit


def test_the_longest_input_of_a_state_decides_for_all() -> None:
    top = fitted(STEPS, limited(2048)).tokens
    long = call("c2", "wrong", hotel_id=words(60, "x"), board="none")
    context = fitted(STEPS, limited(top), [call(), long])
    assert context.rung == 1
    made = renderer(limited(top), "plain", STEPS, [call(), long])
    histories = set()
    for item in items_of(call(), long):
        text = made.render(item)
        assert isinstance(text, Rendered)
        histories.add(text.state_text.partition("# The argument")[0])
    assert len(histories) == 1


def test_a_request_is_hollowed_as_little_as_possible_and_keeps_forty_tokens() -> None:
    long = State.model_validate(
        {**state().model_dump(), "turns": [Turn(role="user", text=words(500, "abc")).model_dump()]}
    )
    limit = fitted(state(), limited(2048)).tokens + 100
    context = fitted(long, limited(limit))
    assert context.status == "ok" and context.kept is not None
    assert limit - 2 <= context.tokens <= limit
    arguments = limited(limit)
    more = plain_context(long, arguments.window, "cfb", context.rung, kept=context.kept + 8).text()
    less = plain_context(long, arguments.window, "cfb", context.rung, kept=context.kept).text()
    assert Words().count(more) > Words().count(less)

    tight = fitted(long, limited(128))
    assert tight.status == "overflow" and tight.kept is not None
    left = plain_context(long, arguments.window, "cfb", tight.rung, kept=tight.kept)
    assert 40 <= sum(len(part.text.split()) for part in left.parts) <= 41


def test_a_state_that_never_fits_is_not_judged_and_says_why() -> None:
    context = fitted(STEPS, limited(128), [call(hotel_id=words(300))])
    assert context.status == "overflow"
    assert context.detail is not None and "limit is 128" in context.detail
    made = renderer(limited(128), "plain", STEPS, [call(hotel_id=words(300))])
    asked = made.render(items_of(call(hotel_id=words(300)))[0])
    assert isinstance(asked, NotAsked) and asked.status == "overflow"


def test_a_reference_takes_the_state_further_down_from_its_own_rung() -> None:
    limit = fitted(STEPS, limited(2048)).tokens - 1
    arguments = limited(limit)
    assert fitted(STEPS, arguments).rung == 1
    references = [reference(words(150), "hotel_id"), reference("short", "board")]
    made = renderer(arguments, "deref", STEPS, [call()], references)
    texts = [made.render(item) for item in items_of(call())]
    assert all(isinstance(text, Rendered) and text.tokens <= limit for text in texts)
    # rung 2 drops step a, rung 3 step b: 150 words are more than one return
    assert all(isinstance(text, Rendered) and " c {}" not in text.state_text for text in texts)
    assert all(isinstance(text, Rendered) and "\nc {}" in text.state_text for text in texts)
    assert all(isinstance(text, Rendered) and "\nb {}" not in text.state_text for text in texts)


def test_the_full_history_drops_oldest_returns_above_its_own_limit() -> None:
    made = renderer(limited(2048), "full", STEPS, [call()])
    text = made.render(items_of(call())[0])
    assert isinstance(text, Rendered) and text.tokens <= 400
    assert text.state_text.count("[left out]") == 1 and "\na {}" in text.state_text
