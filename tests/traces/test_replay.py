"""The status table on what real Pi told: every recorded scenario gives the statuses that a person would expect."""

import json

import pytest

from tank.records.live import LiveEntry
from tank.session.brain import Brain
from tank.session.effects import AskPane, Publish
from tank.session.moment import Moment
from tank.session.publication import Place
from tests.traces import trace
from tests.traces.trace import Trace

WALL = 1_800_000_000.0
PLACE = Place(
    tank="0",
    protocol=1,
    pid=1,
    process_start=None,
    host={"machine": None, "boot": None, "pidns": None},
    sidecar_pid=2,
    terminal={"program": None, "tty": None, "tmux": {"socket": "/s", "pane": "%0"}},
    terminal_id=None,
)


def published(recorded: Trace) -> list[dict[str, object]]:
    """Every entry that a sidecar would have written while it heard this trace."""
    shown = recorded.expected["shown"]
    brain = Brain(Moment(WALL, 0.0))
    brain.place = PLACE
    entries: list[dict[str, object]] = []
    for ms, record in recorded.records():
        now = Moment(WALL + ms / 1000, ms / 1000)
        while (wake := brain.next_wake()) is not None and wake <= now.tick:
            entries += [
                dict(e.entry) for e in brain.wake(Moment(WALL + wake, wake)) if isinstance(e, Publish)
            ]
        effects = brain.receive(record, now)
        if any(isinstance(effect, AskPane) for effect in effects):
            effects += brain.pane_asked(now, shown=shown)
        entries += [dict(effect.entry) for effect in effects if isinstance(effect, Publish)]
    return entries


def statuses(entries: list[dict[str, object]]) -> list[object]:
    """Each change once."""
    words = [entry["status"] for entry in entries]
    return [word for before, word in zip([None, *words], words, strict=False) if word != before]


@pytest.mark.parametrize("name", trace.names())
def test_a_recorded_scenario_gives_the_statuses_a_person_expects(name: str) -> None:
    recorded = trace.load(name)
    assert statuses(published(recorded)) == recorded.expected["statuses"]


@pytest.mark.parametrize("name", trace.names())
def test_every_entry_of_a_recorded_scenario_keeps_the_contract(name: str) -> None:
    for entry in published(trace.load(name)):
        LiveEntry.model_validate_json(json.dumps(entry))
