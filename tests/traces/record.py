"""`make traces [ONLY="name …"]`: plays every scenario on the pinned Pi and stores what changed.

A trace that shows the same behaviour as the stored one is left alone, so that a difference is Pi's or the extension's.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from tests.traces import trace
from tests.traces.performance import performance
from tests.traces.scenarios import SCENARIOS, Scenario
from tests.traces.trace import Trace

SIDE_BY_SIDE = 3


def record(scenario: Scenario) -> Trace:
    with performance(scenario.extensions, scenario.settings) as pi:
        scenario.act(pi)
        return trace.cleaned(pi.end(), str(pi.lab.folder), scenario.expected())


def main(wanted: Sequence[str]) -> int:
    chosen = [SCENARIOS[name] for name in wanted] or list(SCENARIOS.values())
    stored, failed = set(trace.names()), []
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        plays = {pool.submit(record, scenario): scenario for scenario in chosen}
        for play in as_completed(plays):
            name = plays[play].name
            try:
                fresh = play.result()
            except Exception as error:  # noqa: BLE001 (one scenario's failure is told, the others go on)
                failed.append(name)
                sys.stdout.write(f"{name}: failed: {error}\n")
                continue
            if name in stored and trace.same(trace.load(name), fresh):
                sys.stdout.write(f"{name}: as before\n")
                continue
            trace.store(name, fresh)
            sys.stdout.write(f"{name}: {'changed' if name in stored else 'new'}\n")
    for name in stored - set(SCENARIOS):
        (trace.FOLDER / f"{name}.jsonl").unlink()
        sys.stdout.write(f"{name}: removed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
