"""Tank as a user gets it: from a wheel in a virtual environment of its own, in an empty home, with no checkout in reach."""

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from demo.stage import PI_BIN, ROOT
from demo.waiting import eventually
from tank.version import __version__
from tests.support.pi import Json, Lab, PiSession, files_in

NEXT = "99.0.0"
GONE_S = 20
"""A sidecar whose extension was uninstalled waits 10 s for it."""


def build(source: Path, folder: Path) -> Path:
    """The wheel of a source tree."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(source)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the source distribution holds, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    make = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder)]
    subprocess.run(make, cwd=ROOT, check=True, capture_output=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def next_wheel(source: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same Tank with a higher version."""
    for name in ("sidecar/tank/version.py", "pi-extension/package.json"):
        text = (source / name).read_text()
        assert text.count(f'"{__version__}"') == 1
        (source / name).write_text(text.replace(f'"{__version__}"', f'"{NEXT}"'))
    return build(source, tmp_path_factory.mktemp("next"))


class User:
    """A person with a virtual environment, real Pi, and nothing else of Tank's."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.folder = folder
        self.environment = {"PATH": f"{folder / 'bin'}:{PI_BIN}:/usr/bin:/bin"}

    def has(self, wheel: Path) -> None:
        """Installed in the environment, in the place of what was."""
        pip = [
            str(self.folder / "bin/python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([*pip, "--force-reinstall", "--no-deps", str(wheel)], check=True)

    def run(self, *command: str) -> str:
        ran = subprocess.run(
            command,
            cwd=self.lab.folder / "work",
            env=self.lab.environment(**self.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 0, f"{command}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def tank(self, *arguments: str) -> str:
        return self.run(str(self.folder / "bin/tank"), *arguments)

    def pi(self, name: str) -> PiSession:
        session = self.lab.start_pi(name, extensions=(), environment=self.environment, kind=PiSession)
        session.ready()
        return session

    def listed(self) -> list[Json]:
        found: Any = json.loads(self.tank("list", "--json"))
        assert isinstance(found, list)
        return found

    @property
    def extension(self) -> Path:
        (found,) = self.folder.glob("lib/python*/site-packages/tank/data/pi-extension")
        return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh virtual environment with the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("user") / "venv"
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True)
    return folder


@pytest.fixture
def user(lab: Lab, environment: Path, wheel: Path) -> User:
    person = User(lab, environment)
    if person.tank("--version") != f"tank {__version__}\n":
        person.has(wheel)
    return person


def test_the_wheel_carries_extension_schema_and_home_and_nothing_else(wheel: Path) -> None:
    data = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("tank/data/")}
    shipped = [ROOT / "pi-extension/package.json"]
    for folder in ("pi-extension/src", "schema", "tank-home"):
        shipped += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert data == {f"tank/data/{path.relative_to(ROOT)}" for path in shipped}
    assert not [
        name for name in zipfile.ZipFile(wheel).namelist() if "test" in name or "node_modules" in name
    ]


def test_install_pi_list_send_uninstall(user: User) -> None:
    assert f"Tank {__version__} is installed" in user.tank("install")
    assert str(user.extension) in user.run("pi", "list")
    session = user.pi("one")
    entry = session.published()
    assert [found["pid"] for found in user.listed()] == [session.pid]
    assert entry.tank == __version__
    (sidecar,) = session.sidecars()
    assert sidecar.cmdline()[0] == str(user.folder / "bin/python")

    assert "started a run" in user.tank("send", str(session.pid), "say Hello from the wheel.")
    user.tank("wait", str(session.pid), "done", "--timeout", "20")
    assert session.said() == ["[Message sent with tank, not by a session]\n\nsay Hello from the wheel."]
    assert "Hello from the wheel." in user.tank("peek", str(session.pid))
    assert '"statusSince"' in user.tank("schema", "live-entry")
    user.tank("doctor")

    assert "Open sessions keep theirs" in user.tank("uninstall")
    assert str(user.folder) not in user.run("pi", "list")
    assert files_in(user.lab.folder / "config") == []
    assert len(user.listed()) == 1, "an open session keeps its own"
    session.submit("/reload")
    eventually(lambda: user.listed() == [], GONE_S)
    assert session.alive()
    assert files_in(user.lab.live) == []


def test_an_upgrade_under_a_running_session(user: User, next_wheel: Path) -> None:
    user.tank("install")
    session = user.pi("one")
    before = session.published()
    user.tank("priority", str(session.pid), "1")

    user.has(next_wheel)
    assert user.tank("--version") == f"tank {NEXT}\n"
    assert [found["tank"] for found in user.listed()] == [__version__]
    assert "started a run" in user.tank("send", str(session.pid), "say Still here.")
    user.tank("wait", str(session.pid), "done", "--timeout", "20")
    user.tank("explain", str(session.pid))
    assert session.published().sidecar_pid == before.sidecar_pid

    session.submit("/reload")
    eventually(lambda: session.published().tank == NEXT, 15)
    after = session.published()
    assert after.sidecar_pid != before.sidecar_pid
    assert (after.priority, after.session_id) == (1, before.session_id)
    assert [process.pid for process in session.sidecars()] == [after.sidecar_pid]
    assert "started a run" in user.tank("send", str(session.pid), "say And again.")
    user.tank("wait", str(session.pid), "done", "--timeout", "20")
    assert len(session.said()) == 2
