"""Log-probabilities of certain tokens, asked for by number: beyond a server's list of the likeliest ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from plumbline.models.engines import Endpoint
from plumbline.models.first_token import FORCED, cut_to_answer, spelt_token
from plumbline.models.requests import Failure, Reply, Request

Ask = Callable[[dict[str, Any]], Awaitable[Reply | Failure]]
Post = Callable[[str, dict[str, Any]], Awaitable[Any]]

LISTED = 500
"""Length of the list that llama.cpp is asked for: a few milliseconds of work, where each token that the list
leaves out costs another request; `benchmarks/first_token_throughput.py` measures it."""


class ExactAnswers:
    """Asks one server for the probability of certain answers; `request.answers` lists their spellings.

    vLLM takes the numbers of the tokens with the question (`logprob_token_ids`). llama.cpp lists the
    likeliest tokens only: it is asked for a long list, of which the reply keeps what was wanted. A token that
    is not in it either is asked for alone, by a bias that makes it the one that is drawn: the
    log-probability that is reported of it is that before the bias, and the prompt is in the server's cache
    by then. Any other server gives its list.

    Parameters
    ----------
    endpoint
        Which server it is.
    ask, post
        Sends the body of a chat completion; asks another page of the server.
    """

    def __init__(self, endpoint: Endpoint, ask: Ask, post: Post) -> None:
        self._endpoint = endpoint
        self._ask = ask
        self._post = post
        self._known: dict[tuple[str, ...], asyncio.Task[dict[int, str]]] = {}

    async def outcome(self, request: Request, body: dict[str, Any]) -> Reply | Failure:
        """Ask a question; the reply holds the log-probabilities of the answer's first token alone."""
        tokens = await self._tokens(request.answers) if self._endpoint.server else {}
        if tokens and self._endpoint.server == "vllm":
            reply = await self._first_token(body | {"logprob_token_ids": list(tokens)})
            return _marked(reply, tokens)
        # behind its thinking no token can be asked for alone, and a long list for every token would be huge
        if tokens and self._endpoint.server == "llamacpp" and body.get("max_tokens") == 1:
            return await self._listed_or_alone(body, tokens)
        return await self._first_token(body)

    async def _first_token(self, body: dict[str, Any]) -> Reply | Failure:
        reply = await self._ask(body)
        return reply if isinstance(reply, Failure) else cut_to_answer(reply)

    async def _listed_or_alone(self, body: dict[str, Any], tokens: dict[int, str]) -> Reply | Failure:
        """Ask for a long list, and for each token that it leaves out; keep what was wanted of the list."""
        wanted = body.get("top_logprobs", 0)
        reply = await self._first_token(body | {"top_logprobs": max(LISTED, wanted)})
        if isinstance(reply, Failure) or not reply.logprobs:
            return reply
        entry = reply.logprobs[0]
        alone = await self._left_out(entry, tokens, body)
        if isinstance(alone, Failure):
            return alone
        added, seconds = alone
        further = [listed for listed in entry["top"][wanted:] if listed[0] in tokens.values()]
        kept = entry | {"top": [*entry["top"][:wanted], *further, *added]}
        return _marked(replace(reply, logprobs=[kept], seconds=(reply.seconds or 0.0) + seconds), tokens)

    async def _left_out(
        self, entry: dict[str, Any], tokens: dict[int, str], body: dict[str, Any]
    ) -> tuple[list[list[Any]], float] | Failure:
        """Ask for each token that the list left out; also give the seconds that this took."""
        listed = {text for text, _ in entry["top"]}
        added, seconds = [], 0.0
        for number, text in tokens.items():
            if text in listed:
                continue
            alone = await self._ask(body | {"logit_bias": [[number, FORCED]], "top_logprobs": 1})
            if isinstance(alone, Failure):
                return alone
            seconds += alone.seconds or 0.0
            drawn = alone.logprobs[0] if alone.logprobs else {}
            if drawn.get("token") == text:
                added.append([text, drawn.get("logprob")])
        return added, seconds

    async def _tokens(self, answers: tuple[str, ...]) -> dict[int, str]:
        """Give the tokens that spell an answer, by their number; asked of the server once a job."""
        if answers not in self._known:
            self._known[answers] = asyncio.ensure_future(self._tokenised(answers))
        return await asyncio.shield(self._known[answers])

    async def _tokenised(self, answers: tuple[str, ...]) -> dict[int, str]:
        found: dict[int, str] = {}
        for spelling in answers:
            token = spelt_token(await self._pieces(spelling), spelling.strip())
            if token is not None:
                found[token[0]] = token[1]
        return found

    async def _pieces(self, text: str) -> list[tuple[int, Any]]:
        # the page stands beside /v1, and wants what its server wants
        page = f"{self._endpoint.base_url.removesuffix('/v1')}/tokenize"
        if self._endpoint.server == "vllm":
            asked = {"prompt": text, "add_special_tokens": False, "return_token_strs": True}
            data = await self._post(page, {"model": self._endpoint.model_name, **asked})
            data = data if isinstance(data, dict) else {}
            return list(zip(data.get("tokens") or (), data.get("token_strs") or (), strict=False))
        data = await self._post(page, {"content": text, "with_pieces": True})
        listed = data.get("tokens") if isinstance(data, dict) else None
        return [(token["id"], token["piece"]) for token in listed or () if isinstance(token, dict)]


def _marked(reply: Reply | Failure, tokens: dict[int, str]) -> Reply | Failure:
    """Note in a reply which tokens the server was asked for."""
    if isinstance(reply, Failure) or not reply.logprobs:
        return reply
    return replace(reply, logprobs=[reply.logprobs[0] | {"asked": sorted(set(tokens.values()))}])
