"""What Tank remembers of the titles it gave."""

import threading
from pathlib import Path

import pytest

from tank.edges import titles
from tank.errors import RefusedError


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "pi" / "tank"


def test_what_was_given_is_known_to_the_next(state: Path) -> None:
    with titles.kept() as given:
        assert given == {}
        given["server window:1"] = "p1 · fix it"
    with titles.kept() as given:
        assert given == {"server window:1": "p1 · fix it"}
    assert (state / "titles.json").stat().st_mode & 0o777 == 0o600


def test_nothing_is_written_where_nothing_changed(state: Path) -> None:
    with titles.kept():
        pass
    assert not (state / "titles.json").exists()


@pytest.mark.parametrize("junk", [b"", b"{", b"[1]"])
def test_junk_is_left_for_a_person_to_see(state: Path, junk: bytes) -> None:
    state.mkdir(parents=True)
    (state / "titles.json").write_bytes(junk)
    with pytest.raises(RefusedError, match="repair it, or delete it"), titles.kept():
        pass
    assert (state / "titles.json").read_bytes() == junk


def test_two_at_once_lose_neither_title() -> None:
    def give(number: int) -> None:
        for turn in range(20):
            with titles.kept() as given:
                given[f"{number} {turn}"] = "x"

    threads = [threading.Thread(target=give, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with titles.kept() as given:
        assert len(given) == 60


def test_the_file_stays_small() -> None:
    with titles.kept() as given:
        given.update({str(number): "x" for number in range(titles.MOST + 10)})
    with titles.kept() as given:
        assert len(given) == titles.MOST
        assert "0" not in given
