/** Which Python runs the sidecar and the board, and what they may see of Pi's environment. */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout when Tank runs from one, else `tank/data` of the installed package. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Named one by one, so that no token of the person's reaches another process. */
const PASSED = /^(PATH|HOME|USER|LANG|LC_.+|TZ|TMPDIR|TERM.*|TMUX.*|REX_.+|XDG_.+|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_.+)$/;

/** TANK_PYTHON, else the checkout's own, else what `tank install` wrote. */
export function interpreter(env = process.env, root = ROOT): string {
	if (env.TANK_PYTHON && isAbsolute(env.TANK_PYTHON)) return env.TANK_PYTHON;
	const own = join(root, ".venv", "bin", "python");
	if (existsSync(join(root, "pyproject.toml")) && existsSync(own)) return own;
	const { python } = configured(env);
	if (typeof python === "string" && isAbsolute(python)) return python;
	throw new Error("no Python to run: `tank install`, then /reload");
}

/** What `tank install` wrote to `launch.json`; nothing when there is none that can be read. */
function configured(env: NodeJS.ProcessEnv): { python?: unknown; keys?: unknown } {
	const config = env.XDG_CONFIG_HOME;
	const home = config && isAbsolute(config) ? config : join(env.HOME || homedir(), ".config");
	try {
		return JSON.parse(readFileSync(join(home, "pi-tank", "launch.json"), "utf8")) ?? {};
	} catch {
		return {};
	}
}

/** The keys that open the board beside Hyper+T, undefined where the person named none. */
export function secondKeys(env = process.env): string[] | undefined {
	const { keys } = configured(env);
	return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : undefined;
}

/** In a process session of its own, which Ctrl-Z, Ctrl-C and hang-up don't reach; Pi's exit doesn't wait for it. */
export function launch(program: "sidecar" | "overlay"): ChildProcess {
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
	const options: SpawnOptions = { cwd: "/", detached: true, env, stdio: ["pipe", "pipe", "ignore"] };
	const child = spawn(interpreter(), ["-I", "-m", "tank", program], options);
	// An error that nobody hears ends Pi. Without a file descriptor left there is neither stdin nor stdout.
	for (const part of [child, child.stdin, child.stdout] as (Socket | null)[]) part?.on("error", () => {}).unref();
	child.stdout?.setEncoding("utf8");
	return child;
}
