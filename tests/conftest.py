"""What every test may ask for, and the check that no process outlives the run."""

import os
import signal
import uuid
from collections.abc import Iterator

import psutil
import pytest

from demo.scripted_model import ScriptedModel
from demo.stage import RUN_MARK, variable
from tests.support.pi import Lab

os.environ[RUN_MARK] = uuid.uuid4().hex
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so, and what is ignored stays so in every process that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Every process that a test starts inherits the run's mark; one that still lives at the end fails the run."""
    yield
    left = _marked()
    psutil.wait_procs(left, timeout=5)
    left = _marked()
    described = [f"{process.pid} {process.name()}" for process in left]
    for process in left:
        process.kill()
    assert not described, f"processes left behind: {described}"


@pytest.fixture(scope="session")
def model() -> Iterator[ScriptedModel]:
    """One scripted model for all sessions of the run; prompts of different tests should differ."""
    with ScriptedModel() as server:
        yield server


@pytest.fixture
def lab(model: ScriptedModel) -> Iterator[Lab]:
    """A private stage for one test; a process that it leaves behind fails the test."""
    stage = Lab(model.base_url)
    try:
        yield stage
    finally:
        left = stage.close()
    assert not left, f"processes left behind: {left}"


def _marked() -> list[psutil.Process]:
    mark = os.environ[RUN_MARK]
    return [p for p in psutil.process_iter() if p.pid != os.getpid() and variable(p, RUN_MARK) == mark]
