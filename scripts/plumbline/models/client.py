"""The one client: sends a request, tries again where that may help, gives a reply or a failure."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
)

from plumbline.config.models import Model
from plumbline.models.clock import Clock
from plumbline.models.engines import Endpoint
from plumbline.models.exact_answers import ExactAnswers
from plumbline.models.faults import Stop, TryAgain, read_fault
from plumbline.models.limits import NoLimits, SharedLimits
from plumbline.models.requests import Failure, Message, Reply, Request
from plumbline.models.scrubbing import scrub
from plumbline.models.server_time import ServerTime
from plumbline.models.wire import body_of, reply_of, typed_body, typed_reply_of
from plumbline.records import UserError

LONGEST_BACK_OFF_S = 60.0
"""The back-off doubles from one second up to this; a Retry-After is obeyed in full."""

_CANARY = "plumbline-7"
_CANARY_SCHEMA = {
    "type": "object",
    "properties": {"canary": {"type": "string", "enum": [_CANARY]}},
    "required": ["canary"],
    "additionalProperties": False,
}


class Client:
    """Speaks to one server for the length of a job; use it with `async with`.

    Parameters
    ----------
    slug, model
        The model by its name in the configuration, and its settings.
    endpoint
        Where it is served.
    clock
        Waits between attempts go by it.
    limits
        Every request, a repeated one too, waits for its turn.
    """

    def __init__(
        self, slug: str, model: Model, endpoint: Endpoint, clock: Clock, limits: SharedLimits | NoLimits
    ) -> None:
        self._slug = slug
        self._model = model
        self._endpoint = endpoint
        self._clock = clock
        self._limits = limits
        self._time = ServerTime(clock)
        self._canary: asyncio.Task[None] | None = None
        self._exact = ExactAnswers(endpoint, self._persist, self.post)

    async def __aenter__(self) -> Client:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=self._model.concurrency)
        self._api = AsyncOpenAI(
            base_url=self._endpoint.base_url,
            api_key=self._endpoint.api_key,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(
                limits=limits,
                timeout=httpx2.Timeout(self._model.read_timeout_s, connect=30.0, pool=None),
                # a proxy of the site must not stand between us and a server of our own
                trust_env=not self._endpoint.is_own,
            ),
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._canary is not None:
            self._canary.cancel()
        await self._api.close()

    async def outcome(self, request: Request) -> Reply | Failure:
        """Ask until there is a reply, a permanent error, or the attempts are used up.

        Raises
        ------
        UserError
            If nothing more can be asked of this server: the key, the model's name, the quota, a dead
            child, or structured output that does not bind.
        """
        if request.typed is not None:
            return await self._persist(
                typed_body(request, self._endpoint.model_name), self._endpoint.typed_url, typed_reply_of
            )
        if request.schema is not None:
            await self._constraint_binds(request)
        body = body_of(request, self._model, self._endpoint.model_name)
        if request.answers:
            return await self._exact.outcome(request, body)
        return await self._persist(body)

    async def check_model(self) -> None:
        """Make sure that the server lists our model, so that no other server is asked by mistake.

        A typed-question server is not asked: it names its model in every reply.

        Raises
        ------
        UserError
            If it lists others only, or cannot be reached. A server without the list (404, 405) passes,
            unless it is one of our own children.
        """
        if self._model.engine == "decisions":
            return
        for attempt in range(1, self._model.max_attempts + 1):
            async with self._limits.turn():
                found = await self._get_models()
            if not isinstance(found, TryAgain):
                break
            if attempt < self._model.max_attempts:
                await self._clock.sleep(self._wait(found, attempt))
        if isinstance(found, TryAgain):
            raise self._error(f"the server at {self._endpoint.base_url} cannot be used: {found.detail}.")
        name, mark = self._endpoint.model_name, self._endpoint.mark
        if mark is not None and mark not in (found or ()):
            raise self._error(
                f"the server at {self._endpoint.base_url} is not the one that this job started: another"
                " program took the port. Run it again; it gets another port."
            )
        if found is not None and not any(listed in (name, f"models/{name}") for listed in found):
            listed = ", ".join(found[:10]) or "none"
            raise self._error(
                f"the server at {self._endpoint.base_url} does not serve `{name}`; it lists: {listed}."
                f" Correct `models.{self._slug}.model` or the address."
            )

    async def _get_models(self) -> list[str] | TryAgain | None:
        try:
            response = await self._api.get("/models", cast_to=httpx2.Response)
            entries = json.loads(response.content)["data"]
            return [str(entry["id"]) for entry in entries]
        except APIStatusError as error:
            if error.status_code in (404, 405) and not self._endpoint.is_own:
                return None
            fault = read_fault(error.status_code, error.response.headers, error.response.content)
            if isinstance(fault, TryAgain):
                return fault
            raise self._error(f"{fault.detail}.") from None
        except APIConnectionError as error:
            return self._unreachable(error)
        except (ValueError, KeyError, TypeError):
            return TryAgain(f"GET /models gave no list of models: {response.text[:200]!r}")

    async def _constraint_binds(self, request: Request) -> None:
        """Ask, once a job, for an answer that only the constraint allows."""
        if self._canary is None:
            self._canary = asyncio.ensure_future(self._ask_canary(request))
        await asyncio.shield(self._canary)

    async def _ask_canary(self, request: Request) -> None:
        question = Message(role="user", content="In one short sentence: is it better to plan or to act?")
        probe = Request("canary", (question,), request.decoding, schema=_CANARY_SCHEMA)
        answer = await self._persist(body_of(probe, self._model, self._endpoint.model_name))
        got = answer.detail if isinstance(answer, Failure) else answer.text or answer.finish_reason
        try:
            bound = json.loads(got or "") == {"canary": _CANARY}
        except ValueError:
            bound = False
        if not bound:
            raise self._error(
                "the server does not keep to structured output. Asked for an answer that only the schema"
                f" allows, it gave: {(got or 'nothing')[:200]!r}. Use `output: json`, or another server."
            )

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """Ask a page of the server beside the answers, such as its tokenizer; None if it has none."""
        try:
            response = await self._api.post(path, cast_to=httpx2.Response, body=body)
            return json.loads(response.content)
        except (APIStatusError, APIConnectionError, ValueError):
            return None

    async def _persist(
        self,
        body: dict[str, Any],
        path: str = "/chat/completions",
        read: Callable[[Any], Reply | None] = reply_of,
    ) -> Reply | Failure:
        attempt = 1
        seconds = 0.0
        while True:
            async with self._limits.turn():
                with self._time.request() as share:
                    result = await self._send(body, path, read)
            seconds += share.seconds
            if isinstance(result, Reply):
                return replace(result, seconds=round(seconds, 6))
            if isinstance(result, Failure):
                return Failure(result.status, self._clean(result.detail))
            if attempt == self._model.max_attempts:
                return Failure("gave_up", self._clean(f"{attempt} attempts, the last one: {result.detail}"))
            await self._clock.sleep(self._wait(result, attempt))
            attempt += 1

    async def _send(
        self, body: dict[str, Any], path: str, read: Callable[[Any], Reply | None]
    ) -> Reply | Failure | TryAgain:
        try:
            response = await self._api.post(path, cast_to=httpx2.Response, body=body)
        except APIStatusError as error:
            response = error.response
        except APIConnectionError as error:
            return self._unreachable(error)
        if response.status_code == 200:
            try:
                reply = read(json.loads(response.content))
            except ValueError:
                reply = None
            if reply is not None:
                return reply
        fault = read_fault(response.status_code, response.headers, response.content)
        if isinstance(fault, Stop):
            raise self._error(f"{fault.detail}.")
        return fault

    def _unreachable(self, error: APIConnectionError) -> TryAgain:
        dead = self._endpoint.check()
        if dead:
            raise self._error(dead)
        if isinstance(error, APITimeoutError):
            return TryAgain(f"no answer within {self._model.read_timeout_s:g} s")
        cause = error.__cause__ or error
        return TryAgain(f"no connection ({type(cause).__name__}: {cause})")

    def _wait(self, fault: TryAgain, attempt: int) -> float:
        back_off = min(2.0 ** (attempt - 1), LONGEST_BACK_OFF_S)
        # spread out, so that many requests that failed together do not come back together
        spread = random.uniform(0, 0.1 * back_off)  # noqa: S311
        return max(back_off, fault.wait_s or 0.0) + spread

    def _clean(self, text: str) -> str:
        return scrub(text, self._endpoint.api_key)

    def _error(self, text: str) -> UserError:
        return UserError(f"{self._slug}: {self._clean(text)}")
