"""A stand-in for the `rex` command and its server, as `docs/rex.md` has them: state and log lie in files beside it.

Copied as an executable `rex` by `FakeRex`. What a real one would have answered with a server started is an offence.
"""

import contextlib
import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote

Json = dict[str, Any]
HERE = Path(__file__).parent
VALUES = {"-S": "server", "--server": "server", "-C": "client", "--timeout": "timeout", "--color": "color"}
FLAGS = ("--json", "--quiet")
CONTROL_OFF = "Rex.app is not accepting actions. Turn on Remote Control in its Settings under Rex Server."
DOWN = "connecting to the server timed out after 3s: context deadline exceeded"


def fail(code: int, said: str) -> NoReturn:
    sys.stderr.write(f"Error: {said}\n")
    sys.exit(code)


def log(name: str, record: Json) -> None:
    with (HERE / name).open("a") as file:
        file.write(json.dumps(record) + "\n")


def parsed(argv: list[str]) -> tuple[list[str], Json]:
    """Words and global flags, which may stand anywhere before `--`."""
    words: list[str] = []
    flags: Json = {"autostart": True}
    rest = iter(argv)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            words += rest
        elif name in VALUES:
            flags[VALUES[name]] = value if equals else next(rest, "")
        elif name == "--autostart":
            flags["autostart"] = value != "false"
        elif word not in FLAGS:
            words.append(word)
    return words, flags


@contextlib.contextmanager
def state() -> Iterator[Json]:
    """The server's state, alone with it; what was changed is kept, also when the command fails."""
    with (HERE / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = json.loads((HERE / "state.json").read_text())
        try:
            yield found
        finally:
            (HERE / "state.new").write_text(json.dumps(found))
            (HERE / "state.new").replace(HERE / "state.json")


class Server:
    """The methods, each on the state that the lock protects."""

    def __init__(self, kept: Json) -> None:
        self.kept = kept

    def session(self, session_id: str | None) -> Json:
        """By id or label, as `-s` takes it: two sessions of one label are ambiguous."""
        sessions = self.kept["sessions"]
        found = [each for each in sessions if each["session_id"] == session_id]
        found = found or [each for each in sessions if each["label"] == session_id]
        if len(found) != 1:
            fail(3, "session not found")
        one: Json = found[0]
        return one

    def window(self, session: Json, window_id: str) -> Json:
        for each in session["windows"]:
            if each["window_id"] == window_id:
                found: Json = each
                return found
        fail(3, "window not found")

    def call(self, method: str, session_id: str | None, payload: Json) -> Json:
        session_id = session_id or payload.get("session_id")
        if method == "session.list":
            listed = [
                {"session_id": each["session_id"], "label": each["label"]} for each in self.kept["sessions"]
            ]
            return {"sessions": listed}
        if method == "client.list":
            return self.clients()
        if method == "client.inspect":
            return {"client": self.client(payload["client_id"])}
        session = self.session(session_id)
        match method:
            case "session.view":
                return self.view(session)
            case "session.list_blocks":
                return {"blocks": [*self.placed(session), *map(dict, session["detached"])]}
            case "session.focus_block":
                self.block(session, payload["block_id"])
                session["focused"] = payload["block_id"]
                return self.changed(session)
            case "session.focus_window":
                session["active"] = self.window(session, payload["window_id"])["window_id"]
                return self.changed(session)
            case "session.set_window_label":
                self.window(session, payload["window_id"])["label"] = payload["label"]
                return self.changed(session)
            case "com.superlogical.terminal.title":
                return {"title": self.block(session, payload["block_id"]).get("title", "")}
            case "com.superlogical.terminal.process":
                return dict(self.block(session, payload["block_id"]).get("process", {}))
        fail(1, f"method {method} not found")

    def changed(self, session: Json) -> Json:
        session["revision"] += 1
        return {"revision": session["revision"]}

    def view(self, session: Json) -> Json:
        """With `zoomed`, a tab shows only its first block."""
        windows = []
        for window in session["windows"]:
            layers = []
            for layer in window["layers"]:
                blocks = layer["blocks"][:1] if window.get("zoomed") else layer["blocks"]
                shown = [{"block_id": block["block_id"], "label": ""} for block in blocks]
                layers.append({"kind": layer["kind"], "layout": None, "blocks": shown})
            active = session.get("active") == window["window_id"]
            windows.append({**window, "layers": layers, "active": active})
        focused = {"focused_block_id": session.get("focused")}
        named = {key: session[key] for key in ("session_id", "label", "revision")}
        return {
            **named,
            "active_window_id": session.get("active"),
            "focused_window": focused,
            "windows": windows,
        }

    def placed(self, session: Json) -> Iterator[Json]:
        for window in session["windows"]:
            for layer in window["layers"]:
                for block in layer["blocks"]:
                    yield {**block, "window_id": window["window_id"], "placement": "placed"}

    def block(self, session: Json, block_id: str) -> Json:
        for block in [*self.placed(session), *session["detached"]]:
            if block["block_id"] == block_id:
                return dict(block)
        fail(3, "block not found")

    def clients(self) -> Json:
        """The command itself is one of them."""
        own = {"client_id": "client:own", "info": {"kind": "cli"}}
        apps = [
            {"client_id": each["client_id"], "info": {"kind": each["kind"]}} for each in self.kept["clients"]
        ]
        return {"clients": [own, *apps]}

    def client(self, client_id: str) -> Json:
        for each in self.kept["clients"]:
            if each["client_id"] == client_id:
                principal = {"transport": each["transport"]} if each["transport"] else {}
                return {"client_id": client_id, "principal": principal}
        fail(3, "client not found")

    def select(self, client_id: str | None, given: Json) -> None:
        """The app's own action; the server asks it."""
        app = next((each for each in self.kept["clients"] if each["client_id"] == client_id), None)
        if app is None:
            fail(3, "client not found")
        if not self.kept["remote_control"]:
            fail(1, CONTROL_OFF)
        session = self.session(given["session_id"])
        window = self.window(session, given["window_id"])["window_id"] if "window_id" in given else None
        app["shows"] = [session["session_id"], window]

    def move(self, block_id: str, window_id: str) -> None:
        """As a person would, between two calls."""
        moved: Json = {}
        for session in self.kept["sessions"]:
            for window in session["windows"]:
                for layer in window["layers"]:
                    moved = next((b for b in layer["blocks"] if b["block_id"] == block_id), moved)
                    layer["blocks"] = [b for b in layer["blocks"] if b["block_id"] != block_id]
        for session in self.kept["sessions"]:
            for window in session["windows"]:
                if window["window_id"] == window_id:
                    window["layers"][0]["blocks"].append(moved)
            session["revision"] += 1


def dressed(value: object, quirks: Json) -> object:
    """An answer as other builds give it: null or {} for an empty list, keys that nobody knows."""
    if isinstance(value, dict):
        extra = {"novel": {"deep": [1, None]}} if quirks.get("extra_keys") else {}
        return {key: dressed(each, quirks) for key, each in value.items()} | extra
    if isinstance(value, list):
        return [dressed(each, quirks) for each in value] or quirks.get("empty_list", [])
    return value


def answer(words: list[str], flags: Json, server: Server) -> object:
    """What is printed on stdout, as JSON."""
    match words:
        case ["whoami"] | ["server", "status"]:
            return {}
        case ["ls"]:
            return server.call("session.list", None, {})
        case ["client", "ls" | "list"]:
            return server.clients()
        case ["api", "call", *rest]:
            session_id = None
            if rest[:1] in (["-s"], ["--session"]):
                session_id, rest = rest[1], rest[2:]
            payload = rest[1] if rest[1:] else "{}"
            return server.call(
                rest[0], session_id, json.loads(sys.stdin.read() if payload == "-" else payload)
            )
        case ["window", "rename", "--session", session_id, window_id, label]:
            given = {"window_id": window_id, "label": label}
            return server.call("session.set_window_label", session_id, given)
        case ["session", "rename", session_id, label]:
            server.session(session_id)["label"] = label
            return None
        case ["focus", "--session", session_id, block_id]:
            return server.call("session.focus_block", session_id, {"block_id": block_id})
        case ["do", "session.select", "--args", given]:
            server.select(flags.get("client"), json.loads(given))
            return None
        case ["do", "session.select", *pairs]:
            server.select(flags.get("client"), dict(pair.split("=", 1) for pair in pairs))
            return None
    fail(2, f'unknown command "{" ".join(words)}" for "rex"')


def main() -> None:
    argv = sys.argv[1:]
    inherited = sorted(name for name in os.environ if name in ("REX_SERVER", "REX_SESSION", "REX_BLOCK"))
    log("calls", {"argv": argv})
    words, flags = parsed(argv)
    if flags["autostart"]:
        log("offences", {"would have started a server": argv})
    if "server" not in flags or inherited:
        log("offences", {"would have asked the server of another pane": argv, "inherited": inherited})
    if os.isatty(2) or not os.path.samestat(os.fstat(0), Path(os.devnull).stat()):
        log("offences", {"would have asked the terminal": argv})
    name = next((word for word in words if "." in word and not word.startswith("{")), " ".join(words[:2]))
    with state() as kept:
        quirks = kept["quirks"]
        pause_s = quirks.get("slow", {}).get(name, 0)
    time.sleep(pause_s)
    with state() as kept:
        if quirks.get("down") or unquote(flags.get("server", "")) != kept["endpoint"]:
            fail(quirks.get("down") or 4, DOWN)
        if name in quirks.get("fails", {}):
            fail(1, quirks["fails"][name])
        if name in quirks.get("says", {}):
            sys.stdout.write(quirks["says"][name])
            return
        said = answer(words, flags, Server(kept))
        for upset in [each for each in kept["upsets"] if each["after"] == name][:1]:
            kept["upsets"].remove(upset)
            Server(kept).move(upset["block_id"], upset["window_id"])
    sys.stdout.write(json.dumps(dressed(said, quirks)) + "\n")


if __name__ == "__main__":
    main()
