"""A brain driven by hand, as a sidecar would: every effect is checked against the contracts and collected."""

from typing import Any, TypeVar

import orjson

from tank.records.fields import Record
from tank.records.header import Sender
from tank.records.link import FORWARDED, ORDER
from tank.records.live import LiveEntry
from tank.records.socket import REPLY, Explanation, Sent
from tank.session import requests
from tank.session.brain import Brain
from tank.session.effects import AskPane, Effect, FindProject, Leave, Order, Publish, Reply, SendOut
from tank.session.moment import Moment
from tank.session.publication import Place

Json = dict[str, Any]
Wanted = TypeVar("Wanted", AskPane, FindProject, Leave, SendOut)
WALL = 1_800_000_000.0
PERSON = "[Message sent with tank, not by a session]\n\n"
WAKES = 4
"""Times that a brain may ask to be woken without letting time pass; more is a busy loop."""


def place(*, tmux: bool = False) -> Place:
    return Place(
        tank="0.1.0",
        protocol=1,
        pid=4711,
        process_start="linux:b:1",
        host={"machine": "m", "boot": "b", "pidns": "pid:[1]"},
        sidecar_pid=4720,
        terminal={
            "program": None,
            "tty": "/dev/pts/1",
            "tmux": {"socket": "/s", "pane": "%0"} if tmux else None,
        },
        terminal_id=None,
    )


def facts(**changes: object) -> Json:
    return {
        "sessionId": "session-one",
        "sessionFile": "/home/you/.pi/one.jsonl",
        "cwd": "/home/you/app",
        "name": None,
        "model": {"provider": "scripted", "id": "scripted-1"},
        "context": None,
        "isIdle": True,
        "hasPendingMessages": False,
        "dialog": None,
        "prompts": [],
        "reply": None,
        "priority": None,
        "recap": None,
    } | changes


def hello(reason: str = "startup", /, *, kept: object = None, **changes: object) -> Json:
    return {
        "type": "hello",
        "id": 1,
        "tank": "0.1.0",
        "protocol": 1,
        "pid": 4711,
        "reason": reason,
        "facts": facts(**changes),
        "kept": kept,
    }


def check(effect: Effect) -> None:
    """Everything that leaves the brain is JSON in the shapes of the contracts."""
    match effect:
        case Order(record):
            ORDER.validate_json(orjson.dumps(record))
        case Publish(entry):
            line = orjson.dumps(entry)
            assert len(line) < 16 * 1024
            LiveEntry.model_validate_json(line)
        case Reply(_, record):
            REPLY.validate_json(orjson.dumps(record))
            data = record.get("data")
            if isinstance(data, dict) and "delivered" in data:
                Sent.model_validate_json(orjson.dumps(data))
            elif isinstance(data, dict) and "events" in data:
                Explanation.model_validate_json(orjson.dumps(data))
        case FindProject(cwd):
            assert isinstance(cwd, str)
        case SendOut(call, target, request):
            assert isinstance(call, int)
            assert target
            requests.parse(orjson.dumps(request))
        case AskPane() | Leave():
            pass


class Stage:
    """One session: hands records and requests to the brain, and time as the loop of a sidecar gives it."""

    def __init__(self, *, tmux: bool = False, tick: float = 1000.0, said: Json | None = None) -> None:
        self.tick = tick
        self.brain = Brain(self.now)
        self.brain.place = place(tmux=tmux)
        self.brain.socket = "/live/4711.sock"
        self.orders: list[Json] = []
        self.entries: list[Json] = []
        self.replies: dict[int, Json] = {}
        self.answered_at: dict[int, float] = {}
        self.others: list[Effect] = []
        self._token = 0
        if said is not None:
            self.receive(said)

    @property
    def now(self) -> Moment:
        return Moment(WALL + self.tick, self.tick)

    @property
    def entry(self) -> Json:
        """The entry that a sidecar would have written last."""
        return self.entries[-1]

    @property
    def status(self) -> str:
        return str(self.entry["status"])

    @property
    def statuses(self) -> list[str]:
        """Every status that was published, one after the other."""
        words = [str(entry["status"]) for entry in self.entries]
        return [word for at, word in enumerate(words) if at == 0 or words[at - 1] != word]

    @property
    def kept(self) -> Json:
        """The value that the extension keeps, as it comes back."""
        value = next(order["value"] for order in reversed(self.orders) if order["type"] == "keep")
        return dict(orjson.loads(orjson.dumps(value)))

    @property
    def notices(self) -> list[str]:
        return [order["text"] for order in self.ordered("notify")]

    def wanted(self, kind: type[Wanted]) -> list[Wanted]:
        """Effects of a kind, told apart by type: two without fields are equal tuples."""
        return [effect for effect in self.others if isinstance(effect, kind)]

    def ordered(self, *kinds: str) -> list[Json]:
        return [order for order in self.orders if order["type"] in kinds]

    def receive(self, record: Record) -> list[Effect]:
        return self.do(self.brain.receive(record, self.now))

    def hear(self, kind: str, /, **values: object) -> list[Effect]:
        """A record that the extension could forward; the contract is checked."""
        record = {"type": kind, **values}
        FORWARDED.validate_json(orjson.dumps(record))
        return self.receive(record)

    def ask(self, request: Json, sender: Sender | None = None) -> int:
        """A request of the socket; its token, under which `replies` holds the answer."""
        self._token += 1
        parsed = requests.parse(orjson.dumps(request))
        self.do(self.brain.request(self._token, parsed, sender, self.now))
        return self._token

    def send(self, message: str, **fields: object) -> int:
        return self.ask({"type": "send", "message": message, **fields})

    def delivered(self, token: int) -> str | None:
        """The word of the answer, None while there is none."""
        reply = self.replies.get(token)
        return None if reply is None else str((reply["data"] or {}).get("delivered"))

    def wait(self, seconds: float) -> int:
        """Let time pass as the sidecar's loop does, until the brain leaves; how often it was woken."""
        until, woken, at_once = self.tick + seconds, 0, 0
        while not self.wanted(Leave):
            due = self.brain.next_wake()
            if due is None or due > until:
                break
            at_once = at_once + 1 if due <= self.tick else 0
            assert at_once < WAKES, "the brain wants to be woken again and again at one moment"
            self.tick = max(self.tick, due)
            self.do(self.brain.wake(self.now))
            woken += 1
        self.tick = until
        return woken

    def do(self, wanted: list[Effect]) -> list[Effect]:
        for effect in wanted:
            check(effect)
            match effect:
                case Order(record):
                    self.orders.append(dict(record))
                case Publish(entry):
                    self.entries.append(dict(entry))
                case Reply(token, record):
                    assert token not in self.replies, "a request got two answers"
                    self.replies[token] = {"data": None, **record}
                    self.answered_at[token] = self.tick
                case _:
                    self.others.append(effect)
        return wanted

    # What Pi and the extension do, in their own words

    def answer(self, order: Json, outcome: str = "done", *, idle: bool = True, pending: bool = False) -> None:
        self.hear(
            "answer", id=order["id"], outcome=outcome, isIdle=idle, hasPendingMessages=pending, error=None
        )

    def start(self, prompt: str | None = None) -> None:
        self.hear("before_agent_start")
        self.hear("agent_start", id=2)
        if prompt is not None:
            self.say("user", prompt)

    def say(self, role: str, said: str | None = None) -> None:
        self.hear("message_start", role=role, text=said, hasPendingMessages=False)

    def end(self, reason: str = "stop", error: str | None = None) -> None:
        self.hear("agent_end", stopReason=reason, errorMessage=error)

    def settle(self, *, aborted: bool = False, pending: bool = False) -> None:
        self.hear("agent_settled", id=3, aborted=aborted, isIdle=True, hasPendingMessages=pending)

    def run(self, reason: str = "stop", error: str | None = None) -> None:
        """A whole run that ends so."""
        self.start()
        self.end(reason, error)
        self.settle(aborted=reason == "aborted")

    def tool(self, call: str = "call-1", name: str = "bash", argument: str | None = None) -> None:
        self.hear("tool_execution_start", toolCallId=call, toolName=name, argument=argument)

    def tool_ends(self, call: str = "call-1") -> None:
        self.hear("tool_execution_end", toolCallId=call)

    def asks(self, kind: str = "confirm", title: str | None = "Really?") -> None:
        self.hear("ui_prompt_start", kind=kind, title=title)

    def answers(self, kind: str = "confirm", title: str | None = "Really?") -> None:
        self.hear("ui_prompt_end", kind=kind, title=title)

    def types(self, said: str = "go on") -> None:
        self.hear("input", text=said, source="interactive")

    def focus(self, *, focused: bool) -> None:
        self.hear("focus", focused=focused)

    def key(self, *, escape: bool = False) -> None:
        self.hear("key", escape=escape)

    def compacts(self) -> None:
        self.hear("session_before_compact", reason="manual")

    def compacted(self) -> None:
        self.hear("session_compact", reason="manual")

    def leaves(self, reason: str) -> None:
        self.hear("session_shutdown", reason=reason)

    def restarted(self, **changes: object) -> "Stage":
        """The sidecar was killed, and a new one gets what the extension kept."""
        stage = Stage(tick=self.tick)
        stage.receive(hello("restart", kept=self.kept, **changes))
        return stage


def session(**changes: object) -> Stage:
    """A session that has just said hello."""
    return Stage(said=hello(**changes))


def last(stage: Stage) -> Json:
    """The order about a message that went out last."""
    return stage.ordered("deliver", "show")[-1]


def bodies(stage: Stage) -> list[str]:
    """What was offered to Pi, one after the other."""
    return [order["text"].removeprefix(PERSON) for order in stage.ordered("deliver", "show")]


def running() -> Stage:
    stage = session()
    stage.start("work")
    return stage


def guarded(stage: Stage) -> Stage:
    """Three messages came already."""
    stage.brain.count = 3
    return stage
