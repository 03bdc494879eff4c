import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import tank from "../src/index.ts";
import { type Shared, shared } from "../src/link.ts";
import { EXAMPLES, FakePi } from "./support/examples.ts";
import { answering, eventually, Stage } from "./support/sidecars.ts";

const TOOLS = ["tank_sessions", "tank_notes"];
const AT_HOME = home(TOOLS);
const NOTES = `if (record.type === "prepare") say({ type: "notes", id: record.id, text: "note " + ++count });`;
/** What a machine that does much else at the same time may add. */
const SLACK_MS = 150;

let stage: Stage;
let common: Shared;
let folder: string;
beforeEach(() => {
	stage = new Stage();
	common = shared();
	folder = mkdtempSync(join(tmpdir(), "tank-home-"));
	mkdirSync(join(folder, ".pi"));
	writeFileSync(join(folder, ".pi", "tank.json"), "{}");
});
afterEach(() => {
	common.owner = undefined;
	common.release?.();
	common.sidecar?.kill("SIGKILL");
	stage.close();
	rmSync(folder, { recursive: true });
	delete (globalThis as { [key: symbol]: unknown })[Symbol.for("pi-tank")];
});

/** After the welcome, as the sidecar tells it. */
function home(tools: string[], notes = true): string {
	const order = JSON.stringify({ type: "home", tools, notes });
	return `if (record.type === "hello") setImmediate(() => say(${order}));`;
}

function sidecar(...also: string[]): void {
	stage.sidecar(`let count = 0; ${answering(also.join("\n"))}`);
}

/** A fresh copy of the extension, in the home unless said otherwise; `others` are tools that are there already. */
function copy(reason = "startup", { cwd = folder, others = [] as string[] } = {}): FakePi {
	const pi = new FakePi(tank, { ...EXAMPLES.hello.facts, cwd });
	pi.tools.push(...others.map((name) => ({ name })));
	pi.emit("session_start", { reason });
	return pi;
}

function his(pi: FakePi): string[] {
	return pi.tools.map(({ name }) => name).filter((name) => name.startsWith("tank_"));
}

/** What a run's prompt gets, and how long it waited for it. */
async function prepared(pi: FakePi): Promise<{ notes: unknown; told: string[]; ms: number }> {
	const sections: { notes?: string } = {};
	const toolSnippets: { [name: string]: string } = { tank_notes: "as Pi has it" };
	const begun = performance.now();
	await pi.emit("before_agent_start", { systemPromptOptions: { sections, toolSnippets } });
	return { notes: sections.notes, told: Object.entries(toolSnippets).flat(), ms: performance.now() - begun };
}

function read(pi: FakePi, type: string): { [field: string]: any }[] {
	const records = pi.notices.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
	return records.filter((record) => record.type === type);
}

/** Warnings, without what the stand-in hands back. */
function warned(pi: FakePi): string[] {
	return pi.notices.filter((text) => !text.startsWith("{"));
}

test("the first run waits for his tools and his notes, each for what is new", async () => {
	sidecar(AT_HOME, NOTES);
	const pi = copy();
	assert.equal((await prepared(pi)).notes, "note 1");
	assert.deepEqual(his(pi), TOOLS);
	assert.equal((await prepared(pi)).notes, "note 2");
	assert.deepEqual(warned(pi), []);
});

test("the prompt tells of tools that came after it was made", async () => {
	sidecar(AT_HOME, NOTES);
	const { told } = await prepared(copy());
	assert.deepEqual(told.slice(0, 3), ["tank_notes", "as Pi has it", "tank_sessions"]);
	assert.match(told[3] ?? "", /^List every live Pi session/);
});

test("a sidecar that doesn't say whose the session is holds up the first run alone, for a second", async () => {
	sidecar(NOTES);
	const pi = copy();
	const first = await prepared(pi);
	assert.ok(first.ms > 950 && first.ms < 1000 + SLACK_MS, `${first.ms} ms`);
	const second = await prepared(pi);
	assert.ok(second.ms < SLACK_MS, `${second.ms} ms`);
	assert.deepEqual([first.notes, second.notes, his(pi)], [undefined, undefined, []]);
});

test("notes that don't come in time are those of the last time", async () => {
	sidecar(AT_HOME, `if (count) continue; ${NOTES}`);
	const pi = copy();
	assert.equal((await prepared(pi)).notes, "note 1");
	const { notes, ms } = await prepared(pi);
	assert.equal(notes, "note 1");
	assert.ok(ms > 190 && ms < 200 + SLACK_MS, `${ms} ms`);
});

test("notes that come late are used the next time, and never over newer ones", async () => {
	const late = (ms: string, text: string) => {
		return `setTimeout(() => say({ type: "notes", id: record.id, text: "${text}" }), ${ms});`;
	};
	const first = `if (count === 1) ${late("280", "late")} if (count === 2) ${late("500", "last")}`;
	sidecar(AT_HOME, `if (record.type === "prepare") { count++; ${first} if (count === 3) ${late("0", "newest")} }`);
	const pi = copy();
	assert.equal((await prepared(pi)).notes, undefined);
	await setTimeout(150);
	assert.equal((await prepared(pi)).notes, "late");
	assert.equal((await prepared(pi)).notes, "newest");
	await setTimeout(500);
	common.sidecar?.kill("SIGKILL");
	await eventually(() => !common.sidecar);
	assert.equal((await prepared(pi)).notes, "newest");
});

test("without a sidecar a run has the last notes and doesn't wait", async () => {
	sidecar(AT_HOME, NOTES);
	const pi = copy();
	await prepared(pi);
	common.sidecar?.kill("SIGKILL");
	await eventually(() => !common.sidecar);
	const { notes, ms } = await prepared(pi);
	assert.equal(notes, "note 1");
	assert.ok(ms < 100, `${ms} ms`);
});

test("a home that wants no notes has no section and asks for none", async () => {
	sidecar(home(["tank_sessions"], false), NOTES);
	const pi = copy();
	assert.equal((await prepared(pi)).notes, undefined);
	assert.deepEqual(his(pi), ["tank_sessions"]);
	assert.deepEqual(read(pi, "prepare"), []);
});

test("after /reload his tools are there before anything asynchronous", async () => {
	sidecar(AT_HOME, NOTES);
	const before = copy();
	await prepared(before);
	before.emit("session_shutdown", { reason: "reload" });
	const after = copy("reload");
	assert.deepEqual(his(after), TOOLS);
	assert.equal((await prepared(after)).notes, "note 2");
	assert.deepEqual([his(after), warned(after)], [TOOLS, []]);
});

test("a tool that the home has no more after /reload is kept from the model", async () => {
	sidecar(`if (record.reason === "reload") { ${home(["tank_sessions"], false)} } else { ${AT_HOME} }`);
	const before = copy();
	await prepared(before);
	assert.deepEqual(his(before), TOOLS);
	before.emit("session_shutdown", { reason: "reload" });
	const after = copy("reload");
	await prepared(after);
	assert.deepEqual(after.active, ["send_to_session", "tank_sessions"]);
});

test("the tools go with the directory: a session elsewhere has none", async () => {
	sidecar(AT_HOME);
	const before = copy();
	await prepared(before);
	before.emit("session_shutdown", { reason: "resume" });
	const elsewhere = mkdtempSync(join(tmpdir(), "tank-elsewhere-"));
	mkdirSync(join(elsewhere, ".pi"));
	writeFileSync(join(elsewhere, ".pi", "tank.json"), "{}");
	assert.deepEqual(his(copy("resume", { cwd: elsewhere })), []);
	rmSync(elsewhere, { recursive: true });
});

test("what was ordered for the session before is not heard by this one", async () => {
	sidecar(`if (record.reason === "resume") { ${AT_HOME.replace(/.*setImmediate\(\(\) => (.*)\);/, "$1;")} continue; }`);
	const before = copy("startup", { cwd: tmpdir() });
	before.emit("session_shutdown", { reason: "resume" });
	const pi = copy("resume");
	await prepared(pi);
	assert.deepEqual([his(pi), common.home], [[], undefined]);
});

test("another extension's tool of that name is left alone, with one notice, and stays the model's", async () => {
	sidecar(AT_HOME, `if (record.type === "input") say({ type: "home", tools: [], notes: false });`);
	const pi = copy("startup", { others: ["tank_sessions"] });
	pi.active.push("tank_sessions");
	await prepared(pi);
	assert.deepEqual(his(pi), TOOLS);
	assert.deepEqual(warned(pi), ["Tank left the tool tank_sessions of another extension alone."]);
	pi.emit("input", { text: "", source: "interactive" });
	await eventually(() => !pi.active.includes("tank_notes"));
	assert.ok(pi.active.includes("tank_sessions"));
});

test("in a directory without the marker no run waits, whatever the sidecar orders", async () => {
	sidecar(AT_HOME, NOTES);
	const pi = copy("startup", { cwd: tmpdir() });
	await eventually(() => read(pi, "hello").length);
	assert.equal(pi.emit("before_agent_start", { systemPromptOptions: {} }), undefined, "nothing to wait for");
	await setTimeout(50);
	assert.deepEqual([his(pi), read(pi, "prepare"), common.home], [[], [], undefined]);
});

const ASK = `if (record.type === "hello") setImmediate(() => say({ type: "ask", id: -3, title: "A home?", text: "Yes or no" }));`;
/** By what the dialog comes to. */
const ANSWERS: [string, () => unknown, boolean | null][] = [
	["yes", async () => true, true],
	["no", async () => false, false],
	["a dialog that fails", async () => assert.fail("no dialog"), null],
	["a session that can't be touched", () => assert.fail("stale"), null],
];
for (const [name, confirm, confirmed] of ANSWERS) {
	test(`the question is answered as it was: ${name}`, async () => {
		sidecar(ASK);
		const put: unknown[] = [];
		const pi = new FakePi(tank, { ...EXAMPLES.hello.facts, cwd: folder });
		Object.assign(pi.ctx.ui, { confirm: (...words: unknown[]) => (put.push(words), confirm()) });
		pi.emit("session_start", { reason: "startup" });
		const [{ sidecar: _, ...asked }] = await eventually(() => read(pi, "asked").length > 0 && read(pi, "asked")) as any;
		assert.deepEqual(asked, { type: "asked", id: -3, confirmed });
		assert.deepEqual([put, warned(pi)], [[["A home?", "Yes or no"]], []]);
	});
}

test("a dialog that closes with its session was not answered", async () => {
	sidecar(ASK);
	const dialog = Promise.withResolvers<boolean>();
	const pi = new FakePi(tank, { ...EXAMPLES.hello.facts, cwd: folder });
	let isOpen = false;
	Object.assign(pi.ctx.ui, { confirm: () => ((isOpen = true), dialog.promise) });
	pi.emit("session_start", { reason: "startup" });
	await eventually(() => isOpen);
	pi.emit("session_shutdown", { reason: "new" });
	dialog.resolve(false);
	const next = copy("new", { cwd: tmpdir() });
	await eventually(() => read(next, "hello").length);
	assert.deepEqual([...read(pi, "asked"), ...read(next, "asked")], []);
});

test("no exception reaches Pi, and one notice says what it was", async () => {
	sidecar(AT_HOME, NOTES);
	const pi = copy();
	for (let n = 0; n < 3; n++) await pi.emit("before_agent_start", { systemPromptOptions: undefined });
	assert.equal(warned(pi).length, 1);
	assert.match(warned(pi)[0]!, /^Tank: TypeError/);
	assert.deepEqual(his(pi), TOOLS);
});

test("a tool that Pi refuses to register holds up no run", async () => {
	sidecar(AT_HOME, NOTES);
	const pi = new FakePi(tank, { ...EXAMPLES.hello.facts, cwd: folder });
	pi.tools.push = (...tools) => (tools[0]?.name === "tank_sessions" ? assert.fail("refused") : 0);
	pi.emit("session_start", { reason: "startup" });
	const { ms } = await prepared(pi);
	assert.ok(ms < 1000 + SLACK_MS, `${ms} ms`);
	assert.match(warned(pi).join(), /refused/);
});
