import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import tank from "../src/index.ts";
import { type Shared, shared } from "../src/link.ts";
import { describe } from "../src/tools.ts";
import { FakePi, SCREEN } from "./support/examples.ts";
import { drawing, eventually, Stage } from "./support/sidecars.ts";

type Json = { [field: string]: any };
const { command, keys, looks, notices, opening } = describe().board;
const HYPER_T = "\x1b[116;16u";

let stage: Stage;
let common: Shared;
let config: string | undefined;
beforeEach(() => {
	stage = new Stage();
	common = shared();
	config = process.env.XDG_CONFIG_HOME;
	process.env.XDG_CONFIG_HOME = stage.folder;
});
afterEach(() => {
	common.owner = undefined;
	common.release?.();
	common.sidecar?.kill("SIGKILL");
	if (config === undefined) delete process.env.XDG_CONFIG_HOME;
	else process.env.XDG_CONFIG_HOME = config;
	stage.close();
	delete (globalThis as { [key: symbol]: unknown })[Symbol.for("pi-tank")];
});

function started(also = ""): FakePi {
	stage.sidecar(drawing(also));
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	return pi;
}

const toggle = (pi: FakePi, key = "alt+t") => pi.shortcuts.get(key)?.handler();
const shown = (pi: FakePi, width = 80): string[] => pi.screen.overlay?.render(width) ?? [];
const said = (pi: FakePi, text: string) => pi.notices.filter((notice) => notice.startsWith(text)).length;

/** The records of this type that the board's process has read, once it has read so many. */
async function read(pi: FakePi, type: string, count = 1): Promise<Json[]> {
	return eventually(() => {
		const lines = shown(pi).filter((line) => line.startsWith("{"));
		const records = lines.map((line) => JSON.parse(line)).filter((record) => record.type === type);
		return records.length >= count && records;
	});
}

async function opened(also = ""): Promise<FakePi> {
	const pi = started(also);
	toggle(pi);
	await read(pi, "hello");
	return pi;
}

/** Nothing of the board is left in Pi, where so many others listen. */
function closed(pi: FakePi, others = 0): void {
	assert.deepEqual([pi.screen.overlay, pi.listeners.length], [undefined, others]);
}

test("the command and the keys are registered when a session starts, and nothing listens", () => {
	const pi = started();
	assert.deepEqual(pi.commands.map(({ name, description }) => ({ name, description })), [command]);
	assert.deepEqual([...pi.shortcuts.keys()], [...keys.second, keys.always]);
	closed(pi);
});

test("launch.json names the second keys", () => {
	mkdirSync(join(stage.folder, "pi-tank"));
	for (const [named, wanted] of [[["f9", 3, "alt+x"], ["f9", "alt+x"]], [[], []], ["f9", keys.second]]) {
		writeFileSync(join(stage.folder, "pi-tank/launch.json"), JSON.stringify({ keys: named }));
		common.owner = undefined;
		assert.deepEqual([...started().shortcuts.keys()], [...(wanted as string[]), keys.always]);
	}
});

test("the first frame is there before the process draws", async () => {
	const pi = started();
	await pi.commands[0]?.handler("", pi.ctx);
	assert.equal(shown(pi).length, 24);
	assert.ok(shown(pi)[0]?.includes(opening));
	assert.deepEqual(shown(pi).slice(1), Array(23).fill(""));
	const [hello] = await read(pi, "hello");
	assert.deepEqual(Object.keys(hello?.looks), Object.keys(looks));
	assert.deepEqual({ ...hello, looks: 0 }, { ...SCREEN.hello, pid: process.pid, columns: 80, rows: 24, looks: 0 });
});

test("a frame is drawn once, fills the screen and holds nothing but text and looks", async () => {
	const evil = `"a\\u001b[1mb\\u001b[2J\\u001b]52;c;x\\u0007\\u009b\\r\\nc"`;
	const pi = await opened(`if (record.type === "key") { say({ type: "frame", lines: [${evil}] }); continue; }`);
	const before = pi.screen.renders;
	pi.type("x");
	await eventually(() => pi.screen.renders > before);
	assert.deepEqual(shown(pi), ["a\x1b[1mb[2J]52;c;xc", ...Array(23).fill("")]);
	for (let n = 0; n < 3; n++) shown(pi);
	await setTimeout(50);
	assert.equal(pi.screen.renders, before + 1);
});

test("every input is taken from Pi and goes to the board, an emoji's two halves as one", async () => {
	const pi = await opened();
	const inputs = ["j", "\r", "\x1b", "\x1a", "\x1b[I", "\x1b[<0;1;1M", "\x1b[97;1:3u", "\ud83d", "\ude00", "\x1b[200~a\nb\x1b[201~"];
	for (const data of inputs) assert.equal(pi.type(data), true);
	const records = await read(pi, "key", 9);
	assert.deepEqual(records.map(({ data }) => data), [...inputs.slice(0, 7), "😀", inputs[9]]);
	assert.deepEqual(records.map(({ id }) => id), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

for (const data of ["\x1bt", HYPER_T, "\x1b[27;16;116~", "\x03", "\x1b[99;5u"]) {
	test(`${JSON.stringify(data)} closes it, whatever the process does`, async () => {
		const pi = started(`process.kill(process.pid, "SIGSTOP");`);
		toggle(pi);
		await setTimeout(150);
		assert.equal(pi.type(data), true);
		closed(pi);
		assert.equal(said(pi, "Tank's board"), 0);
	});
}

test("a key that is held or let go neither opens nor closes", async () => {
	const pi = await opened();
	for (const data of ["\x1b[116;16:2u", "\x1b[116;16:3u", "\x1b[99;5:3u"]) assert.equal(pi.type(data), true);
	await setTimeout(150);
	assert.ok(pi.screen.overlay);
	pi.type("\x1bt");
	closed(pi);
	for (let n = 0; n < 10; n++) {
		toggle(pi);
		await setTimeout(30);
		closed(pi);
	}
	await setTimeout(150);
	toggle(pi);
	assert.ok(pi.screen.overlay);
	pi.type("\x03");
	toggle(pi);
	assert.ok(pi.screen.overlay, "another key had closed it");
});

test("another size is told once and fits at once", async () => {
	const pi = await opened();
	Object.assign(pi.screen.terminal, { columns: 100, rows: 7 });
	for (let n = 0; n < 3; n++) assert.equal(shown(pi, 100).length, 7);
	assert.deepEqual(await read(pi, "resize"), [{ ...SCREEN.resize, columns: 100, rows: 7 }]);
});

test("another theme is told once, the same one never", async () => {
	const pi = await opened();
	pi.screen.overlay?.invalidate();
	pi.screen.theme = 2;
	for (let n = 0; n < 3; n++) pi.screen.overlay?.invalidate();
	pi.type("x");
	await read(pi, "key");
	const themes = await read(pi, "theme");
	assert.equal(themes.length, 1);
	assert.ok(themes[0]?.looks.strong.startsWith("\x1b[2m"));
});

test("the mouse does nothing", async () => {
	const pi = await opened();
	assert.deepEqual(pi.screen.overlay?.handleMouse({}), { handled: true, render: false });
});

test("the board closes itself and copies by way of the terminal", async () => {
	const pi = await opened(`if (record.data === "y") say({ type: "copy", text: "é" }); if (record.data === "q") say({ type: "close" });`);
	pi.type("y");
	await eventually(() => pi.screen.written.length);
	assert.deepEqual(pi.screen.written, ["\x1b]52;c;w6k=\x07"]);
	pi.type("q");
	await eventually(() => !pi.screen.overlay);
	closed(pi);
});

test("for a moment after it lay over a dialog no key reaches Pi", async () => {
	const pi = await opened();
	pi.emit("ui_prompt_start", { kind: "confirm", title: "Delete?" });
	pi.type("\x03");
	assert.equal(pi.screen.overlay, undefined);
	assert.equal(pi.type("\r"), true);
	await setTimeout(200);
	assert.equal(pi.type("\r"), true);
	await eventually(() => !pi.listeners.length);
	assert.equal(pi.type("\r"), false);
});

test("a board that is opened again meanwhile keeps its keys", async () => {
	const pi = await opened();
	pi.emit("ui_prompt_start", { kind: "confirm", title: "Delete?" });
	pi.type("\x03");
	toggle(pi);
	assert.equal(pi.listeners.length, 1);
	await setTimeout(400);
	assert.equal(pi.type("j"), true);
	pi.emit("session_shutdown", { reason: "new" });
	closed(pi);
});

test("it ends with its session, also in that moment", async () => {
	for (const reason of ["quit", "reload", "new"]) {
		const pi = await opened();
		if (reason === "new") pi.emit("ui_prompt_start", { kind: "confirm", title: "Delete?" });
		pi.emit("session_shutdown", { reason });
		closed(pi);
		common.owner = undefined;
	}
});

test("a board that dies is closed with one notice", async () => {
	const pi = await opened(`if (record.data === "x") process.exit(1);`);
	for (const times of [1, 2]) {
		if (!pi.screen.overlay) toggle(pi);
		await read(pi, "hello");
		pi.type("x");
		await eventually(() => !pi.screen.overlay);
		closed(pi);
		assert.equal(said(pi, notices.stopped), times);
	}
});

test("without a Python the reason is told each time", async () => {
	const pi = started();
	process.env.TANK_PYTHON = "/nowhere";
	for (const times of [1, 2]) {
		toggle(pi);
		await eventually(() => said(pi, `${notices.failed} spawn /nowhere ENOENT`) === times);
		closed(pi);
	}
});

test("a command of another extension is left alone and the keys are named", () => {
	stage.sidecar(drawing());
	const pi = new FakePi(tank);
	pi.commands.push({ name: command.name });
	pi.emit("session_start", { reason: "startup" });
	assert.equal(pi.commands.length, 1);
	assert.equal(said(pi, `${notices.command} alt+t, ${keys.always}.`), 1);
});

test("a command that nobody ran opens the board instead of going to the model", async () => {
	const pi = started();
	for (const text of ["/tank x", "tank", "say /tank"]) {
		assert.equal(pi.emit("input", { text, source: "interactive" }), undefined);
	}
	assert.equal(pi.emit("input", { text: "/tank", source: "extension" }), undefined);
	assert.equal(pi.screen.overlay, undefined);
	assert.deepEqual(pi.emit("input", { text: "/tank ", source: "interactive" }), { action: "handled" });
	await read(pi, "hello");
	assert.equal(said(pi, notices.command), 1);
	assert.ok(!pi.notices.some((text) => text.includes('"/tank "')));
});

for (const watched of ["before", "while"]) {
	test(`a key that the board took is no key press in the session, which watched for one ${watched} it was open`, async () => {
		const pi = started();
		const watch = () => common.sidecar?.stdout?.emit("data", '{"type":"watch_key"}\n');
		const pressed = () => pi.notices.some((text) => text.includes('"type":"key"'));
		if (watched === "before") watch();
		pi.type("\x1bt");
		toggle(pi);
		if (watched === "while") watch();
		await setTimeout(150);
		for (const data of ["j", "\x1b", HYPER_T]) pi.type(data);
		closed(pi, 1);
		await setTimeout(50);
		assert.ok(!pressed());
		pi.type("x");
		await eventually(pressed);
		closed(pi);
	});
}

test("nothing that Pi throws leaves the overlay, and it can still be closed", async () => {
	const pi = await opened();
	Object.assign(pi.ctx.ui, { theme: { style: () => assert.fail("stale") } });
	Object.defineProperty(pi.screen.terminal, "rows", { get: () => assert.fail("stale") });
	pi.screen.overlay?.invalidate();
	assert.equal(shown(pi).length, 24);
	pi.type("j");
	await setTimeout(100);
	pi.type("\x1b[99;5u");
	closed(pi);
	assert.equal(pi.notices.filter((text) => text.includes("stale")).length, 1);
	toggle(pi);
	closed(pi);
});
