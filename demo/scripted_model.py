"""A model with no account: OpenAI chat completions as a stream on loopback, answering as the prompt says (`script`).

`python -m demo.scripted_model` serves one until it is interrupted and prints its address.
"""

import itertools
import json
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

from demo import script
from demo.script import Answer, Call, Cut, Hold, Say, Status, Usage, Wait

Json = dict[str, Any]
PIECE_S = 0.05
"""Pause between two pieces of slow text."""
REASONS = {400: "the scripted model refuses this", 529: "overloaded"}


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire. `session` is Pi's session id, where Pi sends one."""

    at: float
    session: str
    prompt: str
    """The last user message."""
    body: Json

    def text(self) -> str:
        """Everything the model could read, for assertions on what did and didn't reach it."""
        return "\n".join(_text(message) for message in self.body["messages"])

    def point(self) -> tuple[str, str, int, int]:
        """The same for a request and its retries, and for nothing else."""
        messages = self.body["messages"]
        prompts = sum(message["role"] == "user" for message in messages)
        return self.session, self.prompt, prompts, rounds_done(messages)

    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]


@dataclass
class ScriptedModel:
    """Serves from its creation to `close()`; several sessions may share it."""

    requests: list[Request] = field(default_factory=list)
    """Every request so far, oldest first."""

    def __post_init__(self) -> None:
        self._closing = threading.Event()
        self._releases: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self._closing.set()
        for event in list(self._releases.values()):
            event.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def release(self, name: str) -> None:
        """Let every answer go on that waits, or ever will wait, at `hold NAME`."""
        self._release(name).set()

    def asked(self, prompt: str) -> list[Request]:
        """The requests whose last user message contains the text."""
        return [request for request in list(self.requests) if prompt in request.prompt]

    def pause(self, seconds: float) -> None:
        self._closing.wait(seconds)

    def hold(self, name: str) -> None:
        self._release(name).wait()

    def note(self, body: Json) -> tuple[Request, int]:
        """Record a request; with it the count of those before it that asked exactly the same."""
        prompt = next((_text(m) for m in reversed(body["messages"]) if m["role"] == "user"), "")
        request = Request(time.monotonic(), str(body.get("prompt_cache_key", "")), prompt, body)
        with self._lock:
            same = (request.session, prompt, rounds_done(body["messages"]))
            before = sum(
                (r.session, r.prompt, rounds_done(r.body["messages"])) == same for r in self.requests
            )
            self.requests.append(request)
        return request, before

    def _release(self, name: str) -> threading.Event:
        with self._lock:
            return self._releases.setdefault(name, threading.Event())


def rounds_done(messages: Sequence[Json]) -> int:
    """The answers with tool calls that followed the last user message."""
    done = 0
    for message in reversed(messages):
        if message["role"] == "user":
            break
        done += bool(message.get("tool_calls"))
    return done


def estimate(messages: Sequence[Json]) -> int:
    """Prompt tokens; the system prompt counts the same wherever Pi lies."""
    return 1000 + sum(len(_text(message)) for message in messages if message["role"] != "system") // 4


def answer_to(request: Request) -> Answer:
    """The parts of the answer that is due now."""
    messages = request.body["messages"]
    answers, done = script.answers(request.prompt), rounds_done(messages)
    if done < len(answers):
        return answers[done]
    result = next((_text(m) for m in reversed(messages) if m["role"] == "tool"), "")
    return (Say(f"The tool said: {result.strip()[:400]}"),)


def _text(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away in the middle of an answer is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    HEADERS: ClassVar = {"content-type": "text/event-stream", "cache-control": "no-store"}

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the library's name)
        """Silent: the terminal belongs to the demo."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        request, before = self.server.model.note(body)
        answer = answer_to(request)
        status = next((part for part in answer if isinstance(part, Status)), None)
        code = status.codes[min(before, len(status.codes) - 1)] if status else 200
        if status and code != 200:
            for part in answer[: answer.index(status)]:
                self._pass(part)
            self._refuse(code, status.text)
            return
        self.send_response(200)
        for name, value in self.HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in self._chunks(answer, body):
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def _refuse(self, code: int, text: str) -> None:
        reason = text or REASONS.get(code, "server error")
        payload = json.dumps({"error": {"message": reason, "type": "scripted"}}).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _pass(self, part: object) -> None:
        if isinstance(part, Wait):
            self.server.model.pause(part.seconds)
        elif isinstance(part, Hold):
            self.server.model.hold(part.name)

    def _chunks(self, answer: Answer, body: Json) -> Iterator[Json]:
        tokens = estimate(body["messages"])
        calls = said = 0
        yield _chunk(body, {"role": "assistant", "content": ""})
        for part in answer:
            match part:
                case Say():
                    for piece in self._pieces(part):
                        yield _chunk(body, {"content": piece})
                        said += len(piece)
                case Call():
                    for delta in _call(part, calls, f"call_{len(self.server.model.requests)}_{calls}"):
                        yield _chunk(body, {"tool_calls": [delta]})
                    calls += 1
                case Usage():
                    tokens = part.tokens
                case Status():
                    yield _chunk(body, {"content": part.text or "It works again."})
                case Cut():
                    yield _chunk(body, {"content": "This is the last thing you"})
                    raise ConnectionAbortedError
                case _:
                    self._pass(part)
        yield _chunk(body, {}, "tool_calls" if calls else "stop")
        used = {"prompt_tokens": tokens, "completion_tokens": said // 4, "total_tokens": tokens + said // 4}
        yield {**_chunk(body, {}), "choices": [], "usage": used}

    def _pieces(self, part: Say) -> Iterator[str]:
        if not part.over_s:
            yield part.text
            return
        count = max(1, min(len(part.text), round(part.over_s / PIECE_S)))
        edges = [len(part.text) * n // count for n in range(count + 1)]
        for start, end in itertools.pairwise(edges):
            yield part.text[start:end]
            self.server.model.pause(part.over_s / count)


def _chunk(body: Json, delta: Json, finish: str | None = None) -> Json:
    return {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": body.get("model"),
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _call(part: Call, index: int, call_id: str) -> Iterator[Json]:
    """Arguments come in two pieces, as from a real model."""
    text = json.dumps(part.arguments, ensure_ascii=False)
    half = len(text) // 2
    head = {"name": part.tool, "arguments": text[:half]}
    yield {"index": index, "id": call_id, "type": "function", "function": head}
    yield {"index": index, "function": {"arguments": text[half:]}}


def main() -> None:
    with ScriptedModel() as model:
        print(model.base_url, flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    main()
