"""The ladder keeps as much of a history as fits (D10 to D12), by a counter whose counts are arithmetic."""

from __future__ import annotations

from small_run import PROMPTS, Words, call, items_of, reference, renderer, settings, state, step

from plumbline.arguments.contexts import plain_context
from plumbline.arguments.inputs import NotAsked, Rendered, Renderer
from plumbline.arguments.ladder import fit_states
from plumbline.config.arguments import Arguments
from plumbline.models.prompts import PromptSet
from plumbline.records.arguments import Shortened, State, StateContext, Turn, ValueReference


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


def history(made: object, item: int = 0) -> str:
    """The history of an input, and that alone."""
    assert isinstance(made, Renderer)
    text = made.render(items_of(call())[item])
    assert isinstance(text, Rendered), text
    return text.state_text.partition("# The argument")[0].partition("# What the argument")[0]


def taken(made: Renderer) -> Shortened | None:
    text = made.render(items_of(call())[0])
    assert isinstance(text, Rendered), text
    return text.shortened


def _longer() -> int:
    """Words by which the input of `board` is longer than that of `hotel_id`, counted on what is sent."""
    texts = [renderer(settings(), "full", state(), [call()]).render(item) for item in items_of(call())]
    sizes = [len(text.state_text.split()) for text in texts if isinstance(text, Rendered)]
    return sizes[1] - sizes[0]


def full_words(judge_limit: int | None = None) -> Renderer:
    return renderer(limited(2048), "full", STEPS, [call()], context_limit=judge_limit)


def test_a_judge_with_a_smaller_context_loses_more_of_the_oldest_returns_than_the_others() -> None:
    # three returns of 100 words; each that goes becomes the 2 of "[left out]"
    shared, own = full_words(), full_words(400 - 98)
    assert taken(shared) == Shortened(rung=1, returns=1)
    assert taken(own) == Shortened(rung=2, returns=2, further=1)
    assert "[left out]" in history(shared) and history(own).count("[left out]") == 2
    # one that is no smaller changes nothing, and what Plain shows has no such limit
    assert taken(full_words(4000)) == taken(shared)
    plain = [renderer(limited(2048), "plain", STEPS, [call()], context_limit=own) for own in (None, 128)]
    assert history(plain[0]) == history(plain[1]) and taken(plain[0]) is None


def test_a_judge_s_own_limit_goes_on_to_whole_steps_and_ends_as_overflow() -> None:
    arguments = settings(ladder={"full_limit": 2048})
    top = renderer(arguments, "full", STEPS, [call()]).render(items_of(call())[0])
    assert isinstance(top, Rendered) and top.shortened is None
    words_left = len(f"{top.state_text} {top.question}".split()) - 3 * 98
    # the longest input is that of `board`, whose enum and default are in its line; then the first step's 12
    # words go and 10 say so
    longest = words_left + _longer()
    for limit, rung, steps in (
        (longest, 3, 0),
        (longest - 1, 4, 1),
        (longest - 2, 4, 1),
        (longest - 3, 5, 2),
    ):
        own = Shortened(rung=rung, returns=3, steps=steps, further=rung)
        assert taken(renderer(arguments, "full", STEPS, [call()], context_limit=limit)) == own
    long = call(hotel_id=words(300))
    over = renderer(arguments, "full", STEPS, [long], context_limit=128).render(items_of(long)[0])
    assert isinstance(over, NotAsked) and over.status == "overflow" and "limit is 128" in over.detail


def test_a_reference_that_takes_the_state_further_down_says_by_how_much() -> None:
    arguments = limited(fitted(STEPS, limited(2048)).tokens - 1)
    assert taken(renderer(arguments, "plain", STEPS, [call()])) == Shortened(rung=1, returns=1)
    references = [reference(words(150), "hotel_id"), reference("short", "board")]
    # the first step's return is gone on rung 1, the steps a and b on rungs 2 and 3
    made = renderer(arguments, "deref", STEPS, [call()], references)
    assert taken(made) == Shortened(rung=3, returns=1, steps=2, further=2)


def test_a_hollowed_request_that_a_reference_hollows_more_counts_as_one() -> None:
    long = State.model_validate(
        {**state().model_dump(), "turns": [Turn(role="user", text=words(500, "abc")).model_dump()]}
    )
    arguments = limited(fitted(state(), limited(2048)).tokens + 100)
    plain = renderer(arguments, "plain", long, [call()]).render(items_of(call())[0])
    more = renderer(arguments, "deref", long, [call()], [reference("x y z"), reference("x", "board")]).render(
        items_of(call())[0]
    )
    assert isinstance(plain, Rendered) and isinstance(more, Rendered)
    assert plain.shortened is not None and more.shortened is not None
    assert (plain.shortened.rung, plain.shortened.further) == (more.shortened.rung, 0) == (1, 0)
    assert more.shortened.kept is not None and plain.shortened.kept is not None
    assert more.shortened.kept < plain.shortened.kept and more.shortened.further == 1


def lines(text: str, base: str = "short") -> tuple[list[ValueReference], list[ValueReference]]:
    """Lines of a reference that is made from another one for `hotel_id` alone, and those of the other."""
    made = reference(text, "hotel_id", kind="swap", call_id="c1")
    return [made], [reference(base, "hotel_id"), reference(words(150), "board")]


def test_a_reference_made_from_another_shows_the_history_that_the_other_one_leaves_room_for() -> None:
    arguments = limited(fitted(STEPS, limited(2048)).tokens - 1)
    made, base = lines("other")
    of_base = renderer(arguments, "deref", STEPS, [call()], base)
    # `board` has no line of its own here: without the other one's lines the state would show more
    alone = renderer(arguments, "deref", STEPS, [call()], made)
    swapped = renderer(arguments, "deref", STEPS, [call()], made, base)
    assert history(alone) != history(of_base)
    assert history(swapped) == history(of_base)
    assert taken(swapped) == Shortened(rung=3, returns=1, steps=2, further=0)


def test_a_longer_text_than_the_one_it_is_made_from_goes_on_from_its_rung_and_is_counted() -> None:
    arguments = limited(fitted(STEPS, limited(2048)).tokens - 1)
    made, base = lines(words(200))
    of_base = renderer(arguments, "deref", STEPS, [call()], base)
    swapped = renderer(arguments, "deref", STEPS, [call()], made, base)
    assert taken(of_base) == Shortened(rung=3, returns=1, steps=2, further=2)
    assert taken(swapped) == Shortened(rung=4, returns=1, steps=3, further=1)


def test_a_made_reference_beside_the_full_history_keeps_to_the_judge_s_own_limit_as_well() -> None:
    arguments = limited(2048, inputs={"full_deref": {"context": "full", "reference": "deref"}})
    made, base = lines("other")
    both = [
        renderer(arguments, "full_deref", STEPS, [call()], shown, other, context_limit=302)
        for shown, other in ((base, None), (made, base))
    ]
    assert history(both[0]) == history(both[1])
    assert [taken(one) and taken(one).returns for one in both] == [3, 3]  # type: ignore[union-attr]


def test_what_is_not_judged_with_a_reference_is_not_judged_with_one_that_is_made_from_it() -> None:
    made, base = lines("other", base=words(2000))
    swapped = renderer(limited(500), "deref", STEPS, [call()], made, base)
    asked = swapped.render(items_of(call())[0])
    assert isinstance(asked, NotAsked) and asked.status == "overflow"
