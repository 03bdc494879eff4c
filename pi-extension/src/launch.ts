/** Which Python runs the sidecar, and what it may see of Pi's environment. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout when Tank runs from one, else `tank/data` of the installed package. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Named one by one, so that no token of the person's reaches another process. */
const NAMES = `PATH HOME USER LOGNAME LANG LC_.* TZ TMPDIR TERM TERM_PROGRAM TMUX TMUX_PANE TMUX_TMPDIR REX_.* XDG_.*
	DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS NO_COLOR`;
const PASSED = new RegExp(`^(${NAMES.split(/\s+/).join("|")})$`);

/** TANK_PYTHON, else the checkout's own, else what `tank install` wrote; undefined when none is named. */
export function interpreter(env = process.env, root = ROOT): string | undefined {
	if (env.TANK_PYTHON && isAbsolute(env.TANK_PYTHON)) return env.TANK_PYTHON;
	const own = join(root, ".venv", "bin", "python");
	if (existsSync(join(root, "pyproject.toml")) && existsSync(own)) return own;
	const config = env.XDG_CONFIG_HOME;
	const home = config && isAbsolute(config) ? config : join(env.HOME || homedir(), ".config");
	try {
		const { python } = JSON.parse(readFileSync(join(home, "pi-tank", "launch.json"), "utf8"));
		return typeof python === "string" && isAbsolute(python) ? python : undefined;
	} catch {
		return undefined;
	}
}

export function passed(env = process.env): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
}

/** In a process session of its own, which Ctrl-Z, Ctrl-C and hang-up don't reach; Pi's exit doesn't wait for it. */
export function launch(python: string): ChildProcess {
	const stdio = ["pipe", "pipe", "ignore"] as ["pipe", "pipe", "ignore"];
	const child = spawn(python, ["-I", "-m", "tank", "sidecar"], { cwd: "/", detached: true, env: passed(), stdio });
	child.stdout.setEncoding("utf8");
	for (const part of [child, child.stdin as Socket, child.stdout as Socket]) part.on("error", () => {}).unref();
	return child;
}
