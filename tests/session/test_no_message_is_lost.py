"""Messages through a brain and a model of Pi with its extension, whatever happens in between.

What senders were told is compared with where their texts ended: each was delivered once and in order, or its sender or
the person was told.
"""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tank.records.limits import RUNNING_MESSAGES
from tank.session.inbox import REPLY_S
from tests.session.driver import WALL, Json, Stage, hello

STARTING_S = 2.0
"""The extension counts a prompt that was given to an idle Pi as starting for this long."""


class Delivery(RuleBasedStateMachine):
    """The model takes orders as the extension does, and loses what Pi loses."""

    @initialize()
    def begin(self) -> None:
        self.stage = Stage(said=hello())
        self.session = "session-one"
        self.number = 0
        self.sent: dict[str, int] = {}
        """Token of each text."""
        self.sent_at: dict[str, float] = {}
        self.unheard: set[str] = set()
        """Whose senders lost their connection with a killed sidecar."""
        self.read = 0
        """Orders that were read."""
        self.present, self.suspended, self.running, self.compacting = True, False, False, False
        self.given: str | None = None
        self.given_at = 0.0
        self.queue: list[str] = []
        self.transcript: list[str] = []
        self.shown: list[str] = []
        self.editor: list[str] = []
        self.told: list[str] = []
        self.doubted: list[str] = []
        self.typed = 0
        self.came_after: dict[str, int] = {}
        """How many prompts the person had typed as each message came."""

    # The extension

    @property
    def resting(self) -> bool:
        starting = self.given is not None and self.stage.tick - self.given_at <= STARTING_S
        return not self.running and not self.compacting and not starting

    @property
    def free(self) -> bool:
        """Whether the person can do something new."""
        return self.resting and self.given is None and self.present and not self.suspended

    @rule()
    def read_orders(self) -> None:
        if self.given is not None and not self.suspended and self.stage.tick > self.given_at:
            self.run_begins()
        while not self.suspended and self.read < len(self.stage.orders):
            order = self.stage.orders[self.read]
            self.read += 1
            if order["type"] == "notify":
                (self.doubted if "may not" in order["text"] else self.told).append(body(order["text"]))
            elif order["type"] in ("deliver", "show"):
                self.carry_out(order)

    def carry_out(self, order: Json) -> None:
        text, idle = order["text"], not self.running and not self.compacting
        if not self.present:
            self.stage.answer(order, "busy", idle=False)
        elif order["type"] == "show":
            if self.resting:
                self.shown.append(body(text))
            self.stage.answer(order, "done" if self.resting else "busy", idle=idle)
        elif (WALL + self.stage.tick) * 1000 > order["expiresAt"]:
            self.stage.answer(order, "expired", idle=idle)
        elif self.running:
            self.stage.answer(order, "taken", idle=False)
            self.queue.append(text)
            self.stage.hear("input", text=text, source="extension", streamingBehavior="followUp")
            self.stage.answer(order, idle=False, pending=True)
        elif self.resting:
            self.stage.answer(order, "taken")
            self.given, self.given_at = text, self.stage.tick
            self.stage.hear("input", text=text, source="extension")
            self.stage.answer(order)
        else:
            self.stage.answer(order, "busy", idle=idle)

    def begins(self, text: str) -> None:
        self.transcript.append(body(text))
        self.stage.say("user", text)

    # The world

    @rule(wait=st.sampled_from([0.0, 0.1, 0.3, 2.5, 5.0]))
    def time_passes(self, wait: float) -> None:
        self.stage.wait(wait if self.present else min(wait, 0.1))

    @rule(count=st.integers(1, 3))
    def messages_come(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            text = f"message {self.number}"
            self.sent[text] = self.stage.send(text, id=text)
            self.sent_at[text], self.came_after[text] = self.stage.tick, self.typed

    @precondition(lambda self: not self.suspended and self.given and not self.running)
    @rule()
    def run_begins(self) -> None:
        assert self.given is not None
        self.running = True
        self.stage.start()
        self.begins(self.given)
        self.given = None

    @precondition(lambda self: not self.suspended and self.running)
    @rule()
    def run_settles(self) -> None:
        while self.queue:
            self.begins(self.queue.pop(0))
            self.stage.say("assistant")
        self.running = False
        self.stage.end()
        self.stage.settle()

    @precondition(lambda self: not self.suspended and self.running)
    @rule()
    def escape(self) -> None:
        self.editor += map(body, self.queue)
        self.queue, self.running = [], False
        self.stage.end("aborted", "Operation aborted")
        self.stage.settle(aborted=True)

    @precondition(lambda self: self.free)
    @rule()
    def person_types(self) -> None:
        self.given, self.given_at = "typed", self.stage.tick
        self.stage.types("typed")
        self.typed += 1

    @precondition(lambda self: self.free)
    @rule()
    def compaction_begins(self) -> None:
        self.compacting = True
        self.stage.compacts()

    @precondition(lambda self: self.compacting and not self.suspended)
    @rule()
    def compaction_ends(self) -> None:
        self.stage.compacted()
        self.compacting = False

    @precondition(lambda self: self.free)
    @rule()
    def reload_begins(self) -> None:
        self.present = False
        self.stage.leaves("reload")

    @precondition(lambda self: not self.suspended and not self.present)
    @rule()
    def reload_ends(self) -> None:
        self.present = True
        self.stage.receive(hello("reload", kept=self.stage.kept, sessionId=self.session))

    @precondition(lambda self: not self.suspended and self.given is None and self.present)
    @rule()
    def another_session(self) -> None:
        self.read_orders()
        if self.given is not None:
            self.run_begins()
        if self.compacting:
            self.compaction_ends()
        if self.running:
            self.running = False
            self.stage.end("aborted", "Operation aborted")
            self.stage.settle(aborted=True, pending=bool(self.queue))
        self.queue = []
        self.present = False
        self.stage.leaves("new")
        self.read_orders()
        self.present = True
        self.session += "'"
        self.stage.receive(hello("new", sessionId=self.session))

    @rule(suspended=st.booleans())
    def suspend(self, *, suspended: bool) -> None:
        self.suspended = suspended

    @precondition(lambda self: self.present and not self.suspended)
    @rule()
    def sidecar_is_killed(self) -> None:
        self.read_orders()
        old = self.stage
        self.unheard |= {text for text, token in self.sent.items() if token not in old.replies}
        idle = not self.running and not self.compacting
        self.stage = old.restarted(sessionId=self.session, isIdle=idle, hasPendingMessages=bool(self.queue))
        self.stage.replies, self.stage.answered_at = old.replies, old.answered_at
        self.stage._token = old._token
        self.read = 0

    # The end

    def teardown(self) -> None:
        if not hasattr(self, "stage"):
            return
        self.suspended = False
        if not self.present:
            self.reload_ends()
        if self.compacting:
            self.compaction_ends()
        for _ in range(4 * self.number + 40):
            self.read_orders()
            if self.given is not None:
                self.run_begins()
            elif self.running:
                self.run_settles()
            self.read_orders()
            self.stage.wait(0.3)
        assert self.stage.brain.next_wake() is None
        self.judge()

    def judge(self) -> None:
        found = {name: Counter(getattr(self, name)) for name in ("transcript", "shown", "editor", "told")}
        for text, token in self.sent.items():
            places = {name: counts[text] for name, counts in found.items() if counts[text]}
            if text in self.unheard or text in self.doubted:
                assert sum(places.values()) <= 1, (text, places)
                continue
            word, late = self.stage.delivered(token), self.stage.answered_at[token] - self.sent_at[text]
            assert round(late, 6) <= REPLY_S, (text, late)
            if word in ("started", "queued", "held"):
                assert sum(places.values()) == 1, (text, word, places)
                assert "shown" not in places
            elif word == "shown":
                assert sum(places.values()) == 1, (text, word, places)
                assert places.keys() <= {"shown", "told"}
            elif word == "no":
                assert places.keys() <= {"told"}, (text, places)
            else:
                assert word == "unknown"
                assert sum(places.values()) <= 1, (text, places)
        delivered = [text for text in self.transcript if text != "typed"]
        assert delivered == [text for text in self.sent if text in delivered]
        passed = Counter(self.came_after[text] for text in delivered)
        assert max(passed.values(), default=0) <= RUNNING_MESSAGES


def body(text: str) -> str:
    return text.splitlines()[-1]


TestDelivery = Delivery.TestCase
TestDelivery.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
