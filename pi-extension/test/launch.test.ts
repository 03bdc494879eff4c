import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { interpreter, launch } from "../src/launch.ts";
import { eventually } from "./support/sidecars.ts";

let home: string;
let root: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tank-"));
	root = join(home, "root");
	mkdirSync(root);
});
afterEach(() => rmSync(home, { recursive: true }));

function file(path: string, text = ""): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	return path;
}

test("TANK_PYTHON wins, then the checkout's Python, then what install wrote", () => {
	file(join(home, ".config/pi-tank/launch.json"), '{"python": "/written/python"}');
	assert.equal(interpreter({ HOME: home }, root), "/written/python");
	const own = file(join(root, ".venv/bin/python"));
	assert.equal(interpreter({ HOME: home }, root), "/written/python", "no checkout without pyproject.toml");
	file(join(root, "pyproject.toml"));
	assert.equal(interpreter({ HOME: home }, root), own);
	assert.equal(interpreter({ HOME: home, TANK_PYTHON: "/mine" }, root), "/mine");
	assert.equal(interpreter({ HOME: home, TANK_PYTHON: "relative" }, root), own);
});

test("XDG_CONFIG_HOME counts only when it is absolute", () => {
	file(join(home, "conf/pi-tank/launch.json"), '{"python": "/a"}');
	file(join(home, ".config/pi-tank/launch.json"), '{"python": "/b"}');
	assert.equal(interpreter({ HOME: home, XDG_CONFIG_HOME: join(home, "conf") }, root), "/a");
	assert.equal(interpreter({ HOME: home, XDG_CONFIG_HOME: "conf" }, root), "/b");
});

test("nothing is run that launch.json doesn't name by an absolute path", () => {
	assert.throws(() => interpreter({ HOME: home }, root), /tank install/);
	for (const text of ["", "{", "null", "{}", '{"python": 3}', '{"python": "python3"}']) {
		file(join(home, ".config/pi-tank/launch.json"), text);
		assert.throws(() => interpreter({ HOME: home }, root), /tank install/, text);
	}
});

test("the sidecar sees named variables only", async () => {
	const before = process.env;
	const env = { HOME: "/h", PATH: "/p", XAUTHORITY: "/x", LC_ALL: "C", XDG_STATE_HOME: "/s", REX_ID: "1", TMUX_PANE: "%1", TERM: "xterm" };
	const secret = { ANTHROPIC_API_KEY: "k", GITHUB_TOKEN: "t" };
	const others = { PYTHONPATH: "/x", NODE_OPTIONS: "", MY_PATH: "", PATHS: "" };
	const python = file(join(home, "python"), `#!${process.execPath}\nconsole.log(JSON.stringify(process.env))`);
	chmodSync(python, 0o700);
	process.env = { ...env, ...secret, ...others, TANK_PYTHON: python };
	let seen = "";
	launch("sidecar").stdout?.on("data", (text: string) => {
		seen += text;
	});
	process.env = before;
	await eventually(() => seen.endsWith("\n"));
	assert.deepEqual(JSON.parse(seen), env);
});

test("a Pi with no file descriptor left outlives the attempt", () => {
	const script = `
		const { launch } = await import("${new URL("../src/launch.ts", import.meta.url)}");
		const { openSync } = await import("node:fs");
		try { for (;;) openSync("/dev/null"); } catch {}
		launch("sidecar");
		setTimeout(() => process.exit(7), 50);`;
	const limited = [`ulimit -n 100; exec "$0" --input-type=module --eval "$1"`, process.execPath, script];
	const { status, stderr } = spawnSync("sh", ["-c", ...limited], { env: { TANK_PYTHON: "/bin/true" } });
	assert.equal(status, 7, String(stderr));
});
