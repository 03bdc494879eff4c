/** Focus reports of the terminal (DECSET 1004), read beside Pi without changing how Pi reads. */

/** A sequence's beginning that stands alone for longer was a key. */
const SPLIT_MS = 500;

/** Finds reports in raw input, split or not, but none in pasted text. Pure: time is an argument. */
export class FocusReports {
	#begun = "";
	#begunAt = 0;
	#pasting = false;

	read(chunk: string, nowMs: number): boolean[] {
		const whole = this.#pasting || nowMs - this.#begunAt <= SPLIT_MS ? this.#begun + chunk : chunk;
		const found: boolean[] = [];
		for (const [, report, paste] of whole.matchAll(/\x1b\[(?:([IO])|20([01])~)/g)) {
			if (paste) this.#pasting = paste === "0";
			else if (!this.#pasting) found.push(report === "I");
		}
		this.#begun = /\x1b(\[(2(0[01]?)?)?)?$/.exec(whole)?.[0] ?? "";
		this.#begunAt = nowMs;
		return found;
	}
}

/**
 * Follows the reports until the returned function is called; called with true, it switches them off too.
 *
 * Pi pauses its input whenever it gives the terminal away (Ctrl-Z, an external editor, the end) and resumes it after:
 * reports are on only in between. In full screen Pi switches them itself too, which is the same twice.
 */
export function followFocus(report: (focused: boolean) => void): (off: boolean) => void {
	const { stdin, stdout } = process;
	// A first listener would start the flow of input, so only beside Pi's own.
	if (!stdout.isTTY || stdin.listenerCount("data") === 0) return () => {};
	const reports = new FocusReports();
	const read = (chunk: Buffer | string) => reports.read(String(chunk), performance.now()).forEach(report);
	const on = () => void stdout.write("\x1b[?1004h");
	const off = () => void stdout.write("\x1b[?1004l");
	stdin.on("data", read).on("resume", on).on("pause", off);
	process.on("exit", off);
	on();
	return (last) => {
		stdin.off("data", read).off("resume", on).off("pause", off);
		process.off("exit", off);
		if (last) off();
	};
}
