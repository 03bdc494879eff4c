"""When the person typed their last prompts in each home."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tank.edges import paths, typed
from tank.errors import RefusedError

ONE, TWO, THREE = (datetime(2026, 7, 1, 12, minute, tzinfo=UTC) for minute in range(3))
HOME, OTHER = Path("/home/you/tank"), Path("/home/you/other")


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return paths.tank_state() / typed.FILE


def test_each_home_has_its_last_times() -> None:
    assert typed.read(HOME) == ()
    typed.keep(HOME, (ONE, TWO, THREE))
    typed.keep(OTHER, (ONE,))
    assert typed.read(HOME) == (TWO, THREE)
    assert typed.read(OTHER) == (ONE,)
    typed.keep(HOME, (THREE + timedelta(microseconds=1),))
    assert typed.read(HOME) == (THREE + timedelta(microseconds=1),)


def test_what_is_no_time_is_none_and_what_is_no_json_is_kept(file: Path) -> None:
    typed.keep(HOME, (ONE,))
    for said in ("5", "{}", "[5]", '["x"]', '["2026-07-01T12:00:00"]', '[null, "2026-07-01T12:00:00Z"]'):
        file.write_text(f'{{"{HOME}": {said}}}')
        assert typed.read(HOME) == ()
    file.write_text("{")
    assert typed.read(HOME) == ()
    with pytest.raises(RefusedError):
        typed.keep(HOME, (ONE,))
    assert file.read_text() == "{"


def test_only_the_person_can_read_it(file: Path) -> None:
    typed.keep(HOME, (ONE,))
    assert file.stat().st_mode & 0o777 == 0o600
