/** What outlives a copy of the extension: each session and each /reload load a fresh one, globalThis stays. */

import type { ChildProcess } from "node:child_process";

/** Plain values only: the copy that made them may be of another version. */
export class Shared {
	/** The copy that serves Pi; none between session_shutdown and the next session_start. */
	owner: object | undefined;
	/** Makes the copy before let go of the sidecar, the terminal and its timers. */
	release: (() => void) | undefined;
	sidecar: ChildProcess | undefined;
	/** The sidecar's output after its last line end. */
	partial = "";
	lastId = 0;
	/** The sidecar's own value, returned to it in every hello. */
	kept: unknown = null;
	/** As the terminal reported last. */
	focused: boolean | undefined;
	keyWanted = false;
	/** Notices that aren't repeated before a /reload. */
	noticed = new Set<string>();
}

const KEY = Symbol.for("pi-tank");

export function shared(): Shared {
	const holder = globalThis as { [KEY]?: Shared };
	return (holder[KEY] ??= new Shared());
}
