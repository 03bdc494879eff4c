import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Board } from "../src/board.ts";
import type { FromBoard } from "../src/records.ts";
import { SCREEN } from "./support/examples.ts";
import { drawing, eventually, Stage } from "./support/sidecars.ts";

const TIMES = { answer: 80, grace: 40, end: 80 };

let stage: Stage;
let boards: Board[];
beforeEach(() => {
	stage = new Stage();
	boards = [];
});
afterEach(() => {
	for (const board of boards) board.end();
	stage.close();
});

/** A board with what it said and how it was lost. */
function start(script: string) {
	stage.sidecar(script);
	const board = new Board(TIMES);
	const [said, lost]: [FromBoard[], string[]] = [[], []];
	board.hear = (record) => said.push(record);
	board.lost = (why, detail) => lost.push(`${why} ${detail}`);
	boards.push(board);
	const read = (): { [field: string]: unknown }[] => {
		const frames = said.flatMap((record) => (record.type === "frame" ? [record.lines] : []));
		return (frames.at(-1) ?? []).map((line) => JSON.parse(line));
	};
	return { board, said, lost, read };
}

const shutdown = (pid: number) => {
	try {
		return !process.kill(pid, 0);
	} catch {
		return true;
	}
};

test("records are sent as the examples say", async () => {
	const { board, read } = start(drawing());
	for (const record of [SCREEN.hello, SCREEN.resize, SCREEN.theme]) board.send(record);
	board.type(SCREEN.key.data);
	await eventually(() => read().length === 4);
	assert.deepEqual(read(), [SCREEN.hello, SCREEN.resize, SCREEN.theme, { ...SCREEN.key, id: 1 }]);
});

test("what it says is heard as the examples say", async () => {
	const { board, said } = start(drawing(`if (record.say) { say(record.say); continue; }`));
	for (const say of [SCREEN.frame, SCREEN.copy, SCREEN.close]) board.send({ type: "x", say });
	await eventually(() => said.length === 3);
	assert.deepEqual(said, [SCREEN.frame, SCREEN.copy, SCREEN.close]);
});

test("a paste without end is cut and ended", async () => {
	const { board, read } = start(drawing());
	board.type(`\x1b[200~${"é".repeat(100_000)}\x1b[201~`);
	await eventually(() => read().length === 1);
	const { data } = read()[0] as { data: string };
	assert.equal(data.length, 64 * 1024 + 6);
	assert.ok(data.endsWith("é\x1b[201~"));
});

test("a board that answers every key, however late each, is not lost", async () => {
	const { board, lost, read } = start(drawing(`await new Promise((done) => setTimeout(done, 50));`).replace("(data) =>", "async (data) =>"));
	for (let n = 0; n < 6; n++) board.type("j");
	await eventually(() => read().length === 6);
	await setTimeout(200);
	assert.deepEqual(lost, []);
});

test("a board that doesn't answer a key is lost and killed", async () => {
	const { board, said, lost } = start(drawing(`if (record.type === "key") process.kill(process.pid, "SIGSTOP");`));
	board.send({ type: "hello", pid: 0 });
	await eventually(() => said.length);
	await setTimeout(200);
	assert.deepEqual(lost, [], "silence alone is no fault");
	board.type("j");
	await eventually(() => lost.length);
	await setTimeout(100);
	assert.deepEqual(lost, ["silent "]);
});

for (const [name, script] of Object.entries({
	"ends": "",
	"ends with an error": "process.exit(3)",
	"prints what is no record": `console.log("Traceback"); setInterval(() => {}, 1000);`,
	"prints without end": `process.stdout.write("{".repeat(2 ** 21)); setInterval(() => {}, 1000);`,
})) {
	test(`a board that ${name} is lost, once`, async () => {
		const { board, lost } = start(script);
		board.type("j");
		await eventually(() => lost.length);
		await setTimeout(200);
		assert.deepEqual(lost, ["stopped "]);
		board.type("j");
		board.end();
	});
}

test("a Python that can't be started is named", async () => {
	stage.sidecar("");
	process.env.TANK_PYTHON = "/nowhere/python";
	const board = new Board(TIMES);
	const lost: string[] = [];
	board.lost = (why, detail) => lost.push(`${why} ${detail}`);
	await eventually(() => lost.length);
	assert.deepEqual(lost, ["failed spawn /nowhere/python ENOENT"]);
});

for (const [name, script] of Object.entries({
	"reads the end of its input": `say({ type: "copy", text: String(process.pid) }); continue;`,
	"hangs": `say({ type: "copy", text: String(process.pid) }); process.stdin.removeAllListeners(); setInterval(() => {}, 1000); continue;`,
})) {
	test(`a board that is ended and ${name} is gone, and not heard any more`, async () => {
		const { board, said, lost } = start(drawing(script));
		board.send({ type: "hello" });
		const copy = await eventually(() => said[0]);
		assert.ok(copy.type === "copy");
		board.end();
		board.end();
		await eventually(() => shutdown(Number(copy.text)));
		assert.deepEqual([said.length, lost], [1, []]);
	});
}
