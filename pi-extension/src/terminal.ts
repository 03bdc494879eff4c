/** What the terminal sends, told with Pi's own parser: key presses and focus reports (DECSET 1004). */

import { isKeyRelease, isKeyRepeat, matchesKey, parseKey, StdinBuffer } from "@earendil-works/pi-tui";

/** A sequence's beginning that stands alone for longer was a key. */
const SPLIT_MS = 500;
/** Text, a paste, or Alt with a character. Pi names every other key, but no report and no answer of the terminal. */
const TYPED = /^([^\x1b]|\x1b\[200~|\x1b.$)/su;

export function keyPress(data: string): { escape: boolean } | undefined {
	if (isKeyRelease(data) || isKeyRepeat(data) || !(TYPED.test(data) || parseKey(data))) return undefined;
	return { escape: matchesKey(data, "escape") };
}

/** Takes raw input in chunks; reports may be split between two, and pasted text holds none. */
export function focusReports(report: (focused: boolean) => void): StdinBuffer {
	return new StdinBuffer({ timeout: SPLIT_MS, escapeTimeout: SPLIT_MS }).on("data", (sequence) => {
		if (sequence === "\x1b[I" || sequence === "\x1b[O") report(sequence === "\x1b[I");
	});
}

/**
 * Follows the reports until the returned function is called, beside Pi and without changing how Pi reads. Pi pauses
 * its input whenever it gives the terminal away (Ctrl-Z, an external editor, the end): they are on only in between.
 */
export function followFocus(report: (focused: boolean) => void): () => void {
	const { stdin, stdout } = process;
	// A first listener would start the flow of input.
	if (!stdout.isTTY || stdin.listenerCount("data") === 0) return () => {};
	const reports = focusReports(report);
	const read = (chunk: Buffer | string) => reports.process(chunk);
	const on = () => void stdout.write("\x1b[?1004h");
	const off = () => void stdout.write("\x1b[?1004l");
	stdin.on("data", read).on("resume", on).on("pause", off);
	process.on("exit", off);
	on();
	return () => {
		reports.destroy();
		stdin.off("data", read).off("resume", on).off("pause", off);
		process.off("exit", off);
	};
}
