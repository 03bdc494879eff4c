import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tank.version import __version__
from tests.support.desk import Desk

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "pi-extension"


@pytest.fixture
def home(desk: Desk) -> Desk:
    desk.with_pi()
    return desk


def launch_file(desk: Desk) -> Path:
    return desk.home / ".config/pi-tank/launch.json"


def settings_file(desk: Desk) -> Path:
    return desk.home / ".pi/agent/settings.json"


def packages(desk: Desk) -> list[Path]:
    """The packages that Pi's settings name, as real paths."""
    file = settings_file(desk)
    return [(file.parent / named).resolve() for named in json.loads(file.read_text())["packages"]]


def settings(desk: Desk, **fields: Any) -> None:
    settings_file(desk).parent.mkdir(parents=True, exist_ok=True)
    settings_file(desk).write_text(json.dumps(fields))


def test_install_names_the_extension_in_pi_and_this_python(home: Desk) -> None:
    ran = home.tank("install")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"Tank {__version__} is installed in Pi 1." in ran.stdout
    assert packages(home) == [EXTENSION]
    assert json.loads(launch_file(home).read_text()) == {"python": sys.executable}
    assert stat.S_IMODE(launch_file(home).stat().st_mode) == 0o600
    assert stat.S_IMODE(launch_file(home).parent.stat().st_mode) == 0o700


def test_install_twice_is_as_once(home: Desk) -> None:
    assert home.tank("install").returncode == 0
    before = settings_file(home).read_text()
    assert home.tank("install").returncode == 0
    assert settings_file(home).read_text() == before
    assert [path.name for path in launch_file(home).parent.iterdir()] == ["launch.json"]


def test_uninstall_undoes_both_and_leaves_the_rest(home: Desk) -> None:
    other = home.home / "other"
    other.mkdir()
    settings(home, packages=[str(other)], theme="light")
    home.tank("install")
    ran = home.tank("uninstall")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Open sessions keep theirs until /reload" in ran.stdout
    assert packages(home) == [other]
    assert json.loads(settings_file(home).read_text())["theme"] == "light"
    assert not launch_file(home).parent.exists()


def test_uninstall_without_an_installation_says_so_and_is_done(home: Desk) -> None:
    ran = home.tank("uninstall")
    assert (ran.returncode, ran.stdout) == (0, "Tank is not installed in Pi.\n")


def test_pi_and_the_configuration_may_live_elsewhere(home: Desk) -> None:
    home.environment |= {"PI_CODING_AGENT_DIR": "~/elsewhere", "XDG_CONFIG_HOME": str(home.home / "config")}
    assert home.tank("install").returncode == 0
    assert (home.home / "elsewhere/settings.json").exists()
    assert (home.home / "config/pi-tank/launch.json").exists()
    assert home.tank("uninstall").returncode == 0
    assert json.loads((home.home / "elsewhere/settings.json").read_text())["packages"] == []


def test_another_tanks_extension_gives_way(home: Desk) -> None:
    copy = home.home / "old-checkout"
    copy.mkdir()
    (copy / "package.json").write_text((EXTENSION / "package.json").read_text())
    gone = home.home / "venv/lib/python3.11/site-packages/tank/data/pi-extension"
    settings(home, packages=[str(copy), {"source": str(gone)}])
    assert home.tank("install").returncode == 0
    assert packages(home) == [EXTENSION]


def test_uninstall_takes_out_an_extension_whose_folder_is_gone(home: Desk) -> None:
    gone = home.home / "venv/lib/python3.11/site-packages/tank/data/pi-extension"
    settings(home, packages=[str(gone)])
    assert home.tank("uninstall").returncode == 0
    assert packages(home) == []


def test_launch_json_may_stand_in_a_linked_directory(home: Desk) -> None:
    dotfiles = home.home / "dotfiles/pi-tank"
    dotfiles.mkdir(parents=True)
    launch_file(home).parent.parent.mkdir()
    launch_file(home).parent.symlink_to(dotfiles)
    assert home.tank("install").returncode == 0
    assert json.loads((dotfiles / "launch.json").read_text()) == {"python": sys.executable}
    assert home.tank("uninstall").returncode == 0
    assert launch_file(home).parent.is_symlink()


def test_the_python_of_a_virtual_environment_is_not_resolved(home: Desk) -> None:
    venv = home.home / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (packages_of,) = venv.glob("lib/python*/site-packages")
    tank = f"{ROOT / 'sidecar'}\n" + "\n".join(path for path in sys.path if path.endswith("site-packages"))
    (packages_of / "tank.pth").write_text(tank)
    python = str(venv / "bin/python")
    ran = subprocess.run([python, "-I", "-m", "tank", "install"], env=home.environment, cwd="/", check=False)
    assert ran.returncode == 0
    assert json.loads(launch_file(home).read_text()) == {"python": python}


def test_install_refuses_a_python_that_can_not_start_tank_alone(home: Desk) -> None:
    environment = home.environment | {
        "PYTHONPATH": f"{ROOT / 'sidecar'}:{next(path for path in sys.path if path.endswith('site-packages'))}"
    }
    base = str(Path(sys.base_prefix) / "bin/python3")
    command = [base, "-m", "tank", "install"]
    ran = subprocess.run(command, env=environment, cwd="/", check=False, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "-I -m tank` doesn't work" in ran.stderr
    assert "virtual environment" in ran.stderr
    assert not launch_file(home).exists()
    assert not settings_file(home).exists()


def test_without_pi_install_says_how_to_get_it(desk: Desk) -> None:
    desk.environment["PATH"] = str(desk.bin)
    ran = desk.tank("install")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "pi is not on PATH" in ran.stderr
    assert "npm install -g @earendil-works/pi-coding-agent" in ran.stderr
    assert not launch_file(desk).exists()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 0.70.2", "Pi 0.70.2 is too old"),
        ("echo 3.14159", "is not the Pi coding agent"),
        (
            "echo 'file:///cli.js:2\nSyntaxError: no enableCompileCache\n    at x\n\nNode.js v20' >&2; exit 1",
            "SyntaxError: no",
        ),
        ("exit 3", "it gave no reason"),
        ('if [ "$1" = --version ]; then echo 1.6.0; else echo no space left >&2; exit 1; fi', "`pi install"),
    ],
    ids=["old", "another program", "old node", "silent", "install fails"],
)
def test_a_pi_that_will_not_do_is_named_with_the_reason(desk: Desk, script: str, why: str) -> None:
    desk.fake("pi", script)
    ran = desk.tank("install")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert why in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_settings_that_are_no_json_are_left_alone(home: Desk) -> None:
    settings_file(home).parent.mkdir(parents=True)
    settings_file(home).write_text("{ broken")
    ran = home.tank("uninstall")
    assert ran.returncode == 1
    assert "settings.json can't be read" in ran.stderr
    assert settings_file(home).read_text() == "{ broken"


def test_a_place_that_can_not_be_written_is_named(home: Desk) -> None:
    (home.home / ".config").write_text("in the way")
    ran = home.tank("install")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert str(home.home / ".config") in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_the_extension_is_of_this_version() -> None:
    assert json.loads((EXTENSION / "package.json").read_text())["version"] == __version__


def test_keys_that_open_the_board_are_written_and_stay(home: Desk) -> None:
    ran = home.tank("install", "--key", "ctrl+alt+B", "--key", "f9")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "/tank, ctrl+alt+B, f9 or Hyper+T in Pi" in ran.stdout
    written = json.loads(launch_file(home).read_text())
    assert written == {"python": sys.executable, "keys": ["ctrl+alt+B", "f9"]}
    launch_file(home).write_text(json.dumps(written | {"python": "/old/python", "later": 1}))
    assert home.tank("install").returncode == 0
    assert json.loads(launch_file(home).read_text()) == written | {"later": 1}
    assert "/tank or Hyper+T in Pi" in home.tank("install", "--key", "none").stdout
    assert json.loads(launch_file(home).read_text())["keys"] == []


@pytest.mark.parametrize("key", ["t", "shift+t", "hyper+t", "alt+", "alt+alt+t", "none", "alt+tt", "f13", ""])
def test_a_key_that_pi_does_not_know_or_that_types_is_refused_with_the_syntax(home: Desk, key: str) -> None:
    ran = home.tank("install", "--key", "f9", "--key", key)
    assert ran.returncode == 2
    assert f"{key!r} is no key for this: ctrl+, alt+ or super+" in " ".join(ran.stderr.split())
    assert not launch_file(home).exists()


@pytest.mark.parametrize("text", ["", "null", "[]", '{"keys": "f9"}', '{"keys": [3]}'])
def test_a_launch_json_that_says_nothing_is_written_anew(home: Desk, text: str) -> None:
    launch_file(home).parent.mkdir(parents=True)
    launch_file(home).write_text(text)
    assert home.tank("install").returncode == 0
    assert json.loads(launch_file(home).read_text())["python"] == sys.executable
