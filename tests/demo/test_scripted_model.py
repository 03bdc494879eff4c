import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

import pytest

from demo.scripted_model import ScriptedModel

Json = dict[str, Any]


def ask(model: ScriptedModel, messages: Sequence[Json], session: str = "s") -> list[Json]:
    body = json.dumps({"model": "scripted-1", "messages": messages, "prompt_cache_key": session}).encode()
    request = urllib.request.Request(f"{model.base_url}/chat/completions", body)  # noqa: S310 (loopback)
    with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310 (loopback)
        lines = response.read().decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]


def user(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def text(chunks: Sequence[Json]) -> str:
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


def finish(chunks: Sequence[Json]) -> list[str]:
    return [c["finish_reason"] for chunk in chunks for c in chunk["choices"] if c["finish_reason"]]


def test_it_streams_the_text_with_its_usage(model: ScriptedModel) -> None:
    chunks = ask(model, [user("usage 1000 + say one two")])
    assert text(chunks) == "one two"
    assert finish(chunks) == ["stop"]
    assert chunks[-1]["usage"]["prompt_tokens"] == 1000


def test_it_calls_tools_and_goes_on_after_their_results(model: ScriptedModel) -> None:
    prompt = user('call bash {"command":"ls"} + call read {"path":"x"} ; say all done')
    chunks = ask(model, [prompt])
    deltas = [d for c in chunks for o in c["choices"] for d in o["delta"].get("tool_calls", ())]
    arguments = ["".join(d["function"]["arguments"] for d in deltas if d["index"] == n) for n in (0, 1)]
    assert [json.loads(a) for a in arguments] == [{"command": "ls"}, {"path": "x"}]
    assert finish(chunks) == ["tool_calls"]
    called: Json = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]}
    history = [prompt, called, {"role": "tool", "content": "file one"}]
    assert text(ask(model, history)) == "all done"
    assert text(ask(model, [*history, called, {"role": "tool", "content": "two"}])) == "The tool said: two"


def test_statuses_are_answered_one_a_request_and_the_last_for_ever(model: ScriptedModel) -> None:
    messages = [user("status 529,500,200")]
    for code in (529, 500):
        with pytest.raises(urllib.error.HTTPError) as caught:
            ask(model, messages)
        with caught.value:
            assert caught.value.code == code
    assert text(ask(model, messages)) == "It works again."
    assert text(ask(model, messages)) == "It works again."
    with pytest.raises(urllib.error.HTTPError) as caught:
        ask(model, messages, session="another")
    caught.value.close()


def test_an_answer_holds_until_it_is_released(model: ScriptedModel) -> None:
    answered: list[str] = []
    thread = threading.Thread(
        target=lambda: answered.append(text(ask(model, [user("hold test-hold + say go")])))
    )
    thread.start()
    assert not answered
    model.release("test-hold")
    thread.join(5)
    assert answered == ["go"]


def test_slow_text_takes_its_time(model: ScriptedModel) -> None:
    start = time.monotonic()
    assert text(ask(model, [user("slow 0.3 abcdefghij")])) == "abcdefghij"
    assert 0.25 < time.monotonic() - start < 2


def test_a_cut_answer_ends_without_a_finish(model: ScriptedModel) -> None:
    with pytest.raises(AssertionError):
        ask(model, [user("cut")])


def test_requests_are_recorded_as_they_came(model: ScriptedModel) -> None:
    ask(model, [{"role": "system", "content": "be brief"}, user("say recorded")], session="the session")
    (request,) = model.asked("say recorded")
    assert request.session == "the session"
    assert request.text() == "be brief\nsay recorded"


def test_closing_ends_answers_that_still_hold() -> None:
    model = ScriptedModel()
    failures: list[BaseException] = []

    def wait() -> None:
        try:
            ask(model, [user("hold for-ever")])
        except (OSError, AssertionError) as error:
            failures.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while not model.requests:
        time.sleep(0.01)
    model.close()
    thread.join(5)
    assert not thread.is_alive()
