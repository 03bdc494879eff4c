"""The stored traces themselves: complete, and records that keep the contract between extension and sidecar."""

import pytest

from tank.records.link import FORWARDED, ORDER
from tests.traces import trace
from tests.traces.scenarios import SCENARIOS


def test_each_scenario_has_its_trace_and_no_trace_is_left_over() -> None:
    assert trace.names() == sorted(SCENARIOS)


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_trace_expects_what_its_scenario_says(name: str) -> None:
    assert trace.load(name).expected == SCENARIOS[name].expected()


@pytest.mark.parametrize("name", trace.names())
def test_every_line_of_a_trace_keeps_the_contract(name: str) -> None:
    stored = trace.load(name)
    for _, record in stored.records():
        FORWARDED.validate_python(record)
    for line in stored.lines:
        if "order" in line:
            ORDER.validate_python(line["order"])


@pytest.mark.parametrize("name", trace.names())
def test_a_trace_begins_with_hello_and_ends_with_quit(name: str) -> None:
    records = [record for _, record in trace.load(name).records()]
    assert records[0]["type"] == "hello"
    assert records[-1] == {"type": "session_shutdown", "reason": "quit"}


@pytest.mark.parametrize("name", trace.names())
def test_a_trace_is_the_same_as_itself_at_other_times_and_no_other(name: str) -> None:
    stored = trace.load(name)
    later = [{**line, "ms": line["ms"] + 1000} for line in stored.lines]
    assert trace.same(stored, trace.Trace(tuple(later), stored.expected))
    assert not trace.same(stored, trace.Trace(tuple(later[:-3]), stored.expected))
