"""One thread's readiness and timers. Asleep without a timer while nothing is due."""

import heapq
import itertools
import selectors
import time
from collections.abc import Callable

Ready = Callable[[], object]
Timer = tuple[float, int, Ready]
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Loop:
    """Calls back when a descriptor is ready or a time has come. `stop` ends `run`."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[Timer] = []
        self._order = itertools.count()
        self._running = False
        self.idle: Callable[[], float | None] = lambda: None
        """Called before each sleep; gives the tick to wake at, or None."""
        self.woken: Ready = lambda: None
        """Called when the tick that `idle` gave has come."""

    def watch(self, descriptor: int, ready: Ready, events: int = READ) -> None:
        """Call `ready` whenever the descriptor is; a second watch of it replaces the first."""
        if descriptor in self._selector.get_map():
            self._selector.modify(descriptor, events, ready)
        else:
            self._selector.register(descriptor, events, ready)

    def forget(self, descriptor: int) -> None:
        """Stop watching; harmless for one that isn't watched."""
        if descriptor in self._selector.get_map():
            self._selector.unregister(descriptor)

    def later(self, delay_s: float, due: Ready) -> Timer:
        """Call `due` once after this delay."""
        timer = (time.monotonic() + delay_s, next(self._order), due)
        heapq.heappush(self._timers, timer)
        return timer

    def cancel(self, timer: Timer) -> None:
        """Don't call it, nor wake for it; harmless for one that was called."""
        if timer in self._timers:
            self._timers.remove(timer)
            heapq.heapify(self._timers)

    def stop(self) -> None:
        """Nothing is called any more, also of what is ready or due already."""
        self._running = False

    def run(self) -> None:
        """Until `stop`."""
        self._running = True
        while self._running:
            wake = self.idle()
            next_timer = self._timers[0][0] if self._timers else None
            due = min((tick for tick in (wake, next_timer) if tick is not None), default=None)
            timeout = None if due is None else max(due - time.monotonic(), 0.0)
            for key, _ in self._selector.select(timeout):
                # A callback before this one may have closed the descriptor, and its number may be another's now.
                if self._selector.get_map().get(key.fd) is key and self._running:
                    key.data()
            now = time.monotonic()
            while self._timers and self._timers[0][0] <= now and self._running:
                heapq.heappop(self._timers)[2]()
            if wake is not None and now >= wake and self._running:
                self.woken()
