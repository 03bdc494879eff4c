import assert from "node:assert/strict";
import { test } from "node:test";
import { FocusReports } from "../src/focus.ts";

/** What is found in chunks that come so many milliseconds after one another. */
function found(chunks: string[], apartMs = 1): boolean[] {
	const reports = new FocusReports();
	return chunks.flatMap((chunk, number) => reports.read(chunk, 1000 + number * apartMs));
}

test("reports are found in order, among other input", () => {
	assert.deepEqual(found(["a\x1b[I\x1b[Ab\x1b[O", "\x1bOP\x1b[97;1:3u"]), [true, false]);
	assert.deepEqual(found(["\x1b[O\x1b[I".repeat(50)]).length, 100);
});

test("a report split anywhere is found once", () => {
	const input = "x\x1b[Oy\x1b[I";
	for (let cut = 0; cut <= input.length; cut++) {
		assert.deepEqual(found([input.slice(0, cut), input.slice(cut)], 80), [false, true], `cut at ${cut}`);
	}
	assert.deepEqual(found([...input]), [false, true]);
});

test("Esc, [ and I typed one after another are no report", () => {
	assert.deepEqual(found(["\x1b", "[", "I"], 600), []);
});

test("nothing in pasted text counts, wherever it is split", () => {
	const input = "\x1b[200~one\x1b[I two \x1b[200~ \x1b[O\x1b[201~\x1b[O";
	for (let cut = 0; cut <= input.length; cut++) {
		assert.deepEqual(found([input.slice(0, cut), input.slice(cut)]), [false], `cut at ${cut}`);
	}
	assert.deepEqual(found(["\x1b[200~\x1b[20", "1~\x1b[I"], 5000), [true]);
});
