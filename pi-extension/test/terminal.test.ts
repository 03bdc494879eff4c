import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { focusReports, keyPress } from "../src/terminal.ts";

/** What is found in chunks that come so many milliseconds after one another. */
async function found(chunks: string[], apartMs = 0): Promise<boolean[]> {
	const reports: boolean[] = [];
	const input = focusReports((focused) => reports.push(focused));
	for (const chunk of chunks) {
		input.process(chunk);
		if (apartMs) await setTimeout(apartMs);
	}
	input.destroy();
	return reports;
}

function all(inputs: string[], expected: { escape: boolean } | undefined): void {
	for (const input of inputs) assert.deepEqual(keyPress(input), expected, JSON.stringify(input));
}

test("reports are found in order, among other input", async () => {
	assert.deepEqual(await found(["a\x1b[I\x1b[Ab\x1b[O", "\x1bOP\x1b[97;1:3u"]), [true, false]);
	assert.deepEqual((await found(["\x1b[O\x1b[I".repeat(50)])).length, 100);
});

test("a report split anywhere is found once", async () => {
	const input = "x\x1b[Oy\x1b[I";
	for (let cut = 0; cut <= input.length; cut++) {
		assert.deepEqual(await found([input.slice(0, cut), input.slice(cut)], 20), [false, true], `cut at ${cut}`);
	}
	assert.deepEqual(await found([...input]), [false, true]);
});

test("Esc, [ and I typed one after another are no report", async () => {
	assert.deepEqual(await found(["\x1b", "[", "I"], 600), []);
});

test("nothing in pasted text counts, wherever it is split", async () => {
	const input = "\x1b[200~one\x1b[I two \x1b[200~ \x1b[O\x1b[201~\x1b[O";
	for (let cut = 0; cut <= input.length; cut++) {
		assert.deepEqual(await found([input.slice(0, cut), input.slice(cut)]), [false], `cut at ${cut}`);
	}
	assert.deepEqual(await found(["\x1b[200~\x1b[20", "1~\x1b[I"], 600), [true]);
});

test("keys, function keys, shortcuts and pastes are key presses", () => {
	all(["a", "\r", "\t", "\x7f", "\x03", "é", "\ud83d", "\ude00", " "], { escape: false });
	all(["\x1b[A", "\x1b[1;5C", "\x1bOP", "\x1b[3~", "\x1b[15;2~", "\x1b[Z"], { escape: false });
	all(["\x1b[H", "\x1ba", "\x1b]", "\x1bP"], { escape: false });
	all(["\x1b[97u", "\x1b[97;5u", "\x1b[116;16:1u", "\x1b[97:65;2u"], { escape: false });
	all(["\x1b[1077::116;16u", "\x1b[1;1:1A", "\x1b[27;5;9~"], { escape: false });
	all(["\x1b[200~pasted\x1b[201~", "\x1b[200~90:62:3F:A5 \x1b[I\x1b[201~", "\x1b[200~\x1b[201~"], { escape: false });
});

test("Esc is told from the other keys, whatever the locks", () => {
	all(["\x1b", "\x1b[27u", "\x1b[27;1u", "\x1b[27;1:1u", "\x1b[27;1;27~"], { escape: true });
	all(["\x1b[27;129u", "\x1b[27;65:1u", "\x1b[27;193u"], { escape: true });
	all(["\x1b\x1b", "\x1b[27;3u", "\x1b[27;2u", "\x1b[27;3;27~"], { escape: false });
});

test("releases, repeats and bare modifiers are none", () => {
	all(["\x1b[97;1:3u", "\x1b[97;1:2u", "\x1b[27;1:3u", "\x1b[1;1:3A"], undefined);
	all(["\x1b[3;1:2~", "\x1b[97:65;2:3u", "\x1b[97;1:3;97u"], undefined);
	all(["\x1b[57441;2u", "\x1b[57447;2:1u", "\x1b[57454u", "\x1b[57358u", "\x1b[57360;129u"], undefined);
});

test("mouse and focus reports are none", () => {
	all(["\x1b[<35;20;5m", "\x1b[<0;1;1M", "\x1b[M !!", "\x1b[32;10;10M", "\x1b[I", "\x1b[O"], undefined);
});

test("a terminal's answers are none", () => {
	all(["\x1b[?62;1c", "\x1b[>0;276;0c", "\x1b[=0c", "\x1b[12;40R", "\x1b[6;18;9t", "\x1b[48;35;120;0;0t"], undefined);
	all(["\x1b[?2026;2$y", "\x1b[?7u", "\x1b[0n", "\x1b[?997;1n"], undefined);
	all(["\x1bP>|kitty(0.42)\x1b\\", "\x1b]11;rgb:0000/0000/0000\x07", "\x1b_Gi=1;OK\x1b\\", ""], undefined);
});
