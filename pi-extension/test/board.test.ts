import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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
function start(script: string, times = TIMES) {
	stage.sidecar(script);
	const board = new Board(times);
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

/** Of the board's script: it tells its pid and draws nothing. */
const PID = `say({ type: "copy", text: String(process.pid) }); break;`;

function gone(copy: FromBoard): boolean {
	assert.ok(copy.type === "copy");
	try {
		return !process.kill(Number(copy.text), 0);
	} catch {
		return true;
	}
}

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

test("a board that answers one key and not the next is lost", async () => {
	const { board, lost } = start(drawing(`if (record.id === 2) break;`));
	board.type("j");
	board.type("j");
	await eventually(() => lost.length);
	assert.deepEqual(lost, ["silent "]);
});

test("after its end nothing is heard of it, not even what it had said", async () => {
	const { board, said } = start(drawing(`say({ type: "close" }); say({ type: "close" });`));
	board.hear = (record) => {
		said.push(record);
		board.end();
	};
	board.send({ type: "hello" });
	await eventually(() => said.length);
	await setTimeout(50);
	assert.deepEqual(said, [SCREEN.close]);
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

test("a board that is ended reads the end of its input", async () => {
	const { board, said, lost } = start(drawing(PID), { ...TIMES, end: 60_000 });
	board.send({ type: "hello" });
	const copy = await eventually(() => said[0]);
	board.end();
	board.end();
	await eventually(() => gone(copy));
	assert.deepEqual([said.length, lost], [1, []]);
});

test("a board that hangs when it is ended is killed", async () => {
	const { board, said, lost } = start(drawing(`process.stdin.removeAllListeners(); setInterval(() => {}, 1000); ${PID}`));
	board.send({ type: "hello" });
	const copy = await eventually(() => said[0]);
	board.end();
	await eventually(() => gone(copy));
	assert.deepEqual(lost, []);
});

test("a board that hangs when Pi exits is killed", async () => {
	stage.sidecar(drawing(`process.stdin.removeAllListeners(); setInterval(() => {}, 1000); ${PID}`));
	const script = `
		const { Board } = await import("${new URL("../src/board.ts", import.meta.url)}");
		const board = new Board();
		board.hear = ({ text }) => {
			console.log(text);
			board.end();
			process.exit();
		};
		board.send({ type: "hello" });
		setInterval(() => {}, 1000);`;
	const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
	assert.match(stdout, /^\d+\n$/);
	await eventually(() => gone({ type: "copy", text: stdout }));
});
