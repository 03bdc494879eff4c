import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, mock, test } from "node:test";
import pkg from "../package.json" with { type: "json" };
import tank from "../src/index.ts";
import { type Shared, shared } from "../src/link.ts";
import { EXAMPLES, FakePi } from "./support/examples.ts";
import { answering, eventually, Stage } from "./support/sidecars.ts";

let stage: Stage;
let common: Shared;
beforeEach(() => {
	stage = new Stage();
	common = shared();
});
afterEach(() => {
	common.owner = undefined;
	common.release?.();
	common.sidecar?.kill("SIGKILL");
	stage.close();
	delete (globalThis as { [key: symbol]: unknown })[Symbol.for("pi-tank")];
});

/** A stand-in whose notices are what it read. */
async function read(pi: FakePi, type: string, id?: number): Promise<{ [field: string]: any }> {
	const { sidecar, ...record } = await eventually(() => {
		const records = pi.notices.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
		return records.findLast((each) => each.type === type && (id === undefined || each.id === id));
	});
	return record;
}

/** Pi's events that must be forwarded exactly as the examples say, with more in them than is forwarded. */
const EVENTS = {
	session_info_changed: { name: "login" },
	session_before_tree: { preparation: {} },
	session_before_compact: { reason: "manual", preparation: {}, branchEntries: [] },
	session_compact_failed: { reason: "manual", errorMessage: "x", aborted: false },
	model_select: { model: { provider: "openai", id: "gpt-6.2-sol", baseUrl: "https://secret@host" } },
	input: { text: "fix the flaky login test", source: "interactive", images: ["AAAA"] },
	before_agent_start: { prompt: "p", systemPrompt: "s" },
	agent_start: {},
	agent_end: {
		messages: [
			{ role: "assistant", stopReason: "error", errorMessage: "529: overloaded" },
			{ role: "toolResult", content: [] },
		],
	},
	agent_settled: { aborted: false },
	message_start: { message: { role: "user", content: "and the logout test too" } },
	message_end: { message: { role: "assistant", content: [{ type: "text", text: EXAMPLES.message_end.reply }] } },
	tool_execution_start: { toolCallId: "call_1", toolName: "bash", args: { n: 1, command: "pytest tests/login -q" } },
	tool_execution_end: { toolCallId: "call_1", toolName: "bash", result: { content: [] }, isError: false },
	ui_prompt_start: { reason: "ui_prompt", kind: "confirm", title: "Allow bash: rm -rf build?" },
	ui_prompt_end: { reason: "ui_prompt", kind: "confirm", title: "Allow bash: rm -rf build?" },
};

for (const [type, event] of Object.entries(EVENTS)) {
	test(`${type} is forwarded as the example says`, async () => {
		stage.sidecar(answering());
		const pi = new FakePi(tank);
		pi.emit("session_start", { reason: "startup" });
		assert.equal(pi.emit(type, event), undefined);
		const record = await read(pi, type);
		if (EXAMPLES[type].id) record.id = EXAMPLES[type].id;
		assert.deepEqual(record, EXAMPLES[type]);
	});
}

test("hello and session_tree carry what Pi can be asked", async () => {
	stage.sidecar(answering());
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	const { pid, ...hello } = await read(pi, "hello");
	assert.deepEqual({ ...hello, pid: EXAMPLES.hello.pid }, EXAMPLES.hello);
	assert.equal(pid, process.pid);
	const named = new FakePi(tank, EXAMPLES.session_tree.facts);
	pi.emit("session_shutdown", { reason: "new" });
	named.emit("session_start", { reason: "new" });
	named.emit("ui_prompt_start", { kind: "confirm", title: "Allow bash?" });
	named.emit("session_tree", { newLeafId: "x" });
	assert.deepEqual(await read(named, "session_tree"), EXAMPLES.session_tree);
});

test("an answer's end is forwarded, other messages' ends aren't", async () => {
	stage.sidecar(answering());
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	pi.emit("message_end", { message: { role: "toolResult", content: [{ type: "text", text: "secret" }] } });
	pi.emit("tool_execution_end", { toolCallId: "c", result: { content: [{ type: "text", text: "secret" }] } });
	pi.emit("message_start", { message: { role: "toolResult", content: [{ type: "text", text: "secret" }] } });
	assert.equal((await read(pi, "message_start")).text, null);
	assert.ok(!pi.notices.some((text) => text.includes("secret") || text.includes("message_end")));
});

test("a prompt is about to start as long as its handlers ask, one that was swallowed is not", async () => {
	const now = performance.now.bind(performance);
	let passedMs = 0;
	mock.method(performance, "now", () => now() + passedMs);
	stage.sidecar(answering(`if (record.type === "message_start") say({ type: "show", id: +record.text, text: "t" });`));
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	let asked = 100;
	const outcome = async (ms: number) => {
		passedMs += ms;
		const id = ++asked;
		pi.emit("message_start", { message: { role: "user", content: `${id}` } });
		return (await read(pi, "answer", id)).outcome;
	};
	await read(pi, "hello");
	pi.emit("input", { text: "a prompt", source: "interactive" });
	pi.emit("ui_prompt_start", { kind: "confirm", title: "Send a secret?" });
	assert.equal(await outcome(60_000), "busy");
	pi.emit("ui_prompt_end", { kind: "confirm", title: "Send a secret?" });
	assert.equal(await outcome(1000), "busy");
	assert.equal(await outcome(20_000), "failed", "given to a Pi that takes nothing");
	pi.emit("ui_prompt_start", { kind: "select", title: "The person's own" });
	assert.equal(await outcome(0), "failed");
	pi.emit("ui_prompt_end", { kind: "select", title: "The person's own" });
	assert.equal(await outcome(0), "failed");
	mock.restoreAll();
});

test("one key press is reported each time it is asked for", async () => {
	stage.sidecar(answering(`if (record.type === "input") say({ type: "watch_key" });`));
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	pi.emit("input", { text: "", source: "interactive" });
	await eventually(() => pi.listeners.length === 1);
	for (const data of ["\x1b[97;1:3u", "\x1bt", "\x1b[116;16u", "\x1b"]) assert.equal(pi.type(data), false);
	assert.deepEqual(await read(pi, "key"), { ...EXAMPLES.key, escape: true });
	assert.deepEqual(pi.listeners, []);
});

test("no key is watched for beyond the session in which it was asked for", async () => {
	stage.sidecar(answering(`if (record.type === "input") say({ type: "watch_key" });`));
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	pi.emit("input", { text: "", source: "interactive" });
	await eventually(() => pi.listeners.length === 1);
	pi.emit("session_shutdown", { reason: "new" });
	assert.deepEqual(pi.listeners, []);
});

test("a tool's call is the sidecar's, and its result the tool's", async () => {
	const result = `{ type: "result", id: record.id, text: "said", isError: true }`;
	stage.sidecar(answering(`if (record.type === "call") say(${result});`));
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	const tool = pi.tools.find(({ name }) => name === "send_to_session");
	const told = await tool?.execute("call_1", EXAMPLES.call.arguments, undefined);
	assert.deepEqual(told, { content: [{ type: "text", text: "said" }], details: undefined, isError: true });
	assert.deepEqual({ ...(await read(pi, "call")), id: EXAMPLES.call.id }, EXAMPLES.call);
});

test("a tool that another extension registered is left alone, with one notice", () => {
	stage.sidecar(answering());
	const pi = new FakePi(tank);
	pi.tools.push({ name: "send_to_session" });
	pi.emit("session_start", { reason: "startup" });
	assert.equal(pi.tools.filter(({ name }) => name === "send_to_session").length, 1);
	assert.equal(pi.notices.filter((text) => text.includes("send_to_session")).length, 1);
});

test("only an interactive session has a sidecar and tools", () => {
	for (const mode of ["print", "json", "rpc"]) {
		const pi = new FakePi(tank, EXAMPLES.hello.facts, mode);
		pi.emit("session_start", { reason: "startup" });
		pi.emit("agent_start");
		assert.deepEqual([pi.tools, pi.notices, common.sidecar], [[], [], undefined]);
	}
	process.env.PI_SUBAGENT_CHILD = "1";
	const pi = new FakePi(tank);
	delete process.env.PI_SUBAGENT_CHILD;
	pi.emit("session_start", { reason: "startup" });
	assert.deepEqual([pi.tools, pi.notices, common.sidecar], [[], [], undefined]);
});

test("a second copy in one process does nothing but one notice", async () => {
	stage.sidecar(answering());
	const [first, second] = [new FakePi(tank), new FakePi(tank)];
	for (const reason of ["startup", "new"]) {
		first.emit("session_start", { reason });
		second.emit("session_start", { reason });
		second.emit("agent_start");
		first.emit("session_shutdown", { reason: "new" });
		second.emit("session_shutdown", { reason: "new" });
	}
	assert.deepEqual(second.notices.length, 1);
	assert.deepEqual(second.tools, []);
	first.emit("session_start", { reason: "new" });
	first.emit("message_start", { message: { role: "user", content: "" } });
	await read(first, "message_start");
	assert.ok(!first.notices.some((text) => text.includes("agent_start")));
});

test("a Pi that lacks what is needed gets one notice", () => {
	const pi = new FakePi(tank);
	Object.assign(pi.ctx, { mode: undefined });
	for (const reason of ["startup", "new"]) pi.emit("session_start", { reason });
	assert.deepEqual([pi.notices.length, pi.tools, common.sidecar], [1, [], undefined]);
});

test("nothing that Pi throws leaves a handler, and one notice says what", () => {
	stage.sidecar(answering());
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	Object.assign(pi.ctx, { hasPendingMessages: () => assert.fail("stale") });
	for (let n = 0; n < 3; n++) pi.emit("message_start", { message: { role: "user", content: "" } });
	Object.assign(pi.ctx.ui, { notify: () => assert.fail("stale") });
	pi.emit("message_start", { message: { role: "user", content: "" } });
	assert.equal(pi.notices.filter((text) => text.includes("stale")).length, 1);
});

test("the extension has Tank's version and protocol", () => {
	const python = readFileSync(new URL("../../sidecar/tank/version.py", import.meta.url), "utf8");
	assert.equal(pkg.version, /^__version__ = "(.*)"$/m.exec(python)?.[1]);
	assert.equal(EXAMPLES.hello.tank, pkg.version);
	assert.equal(String(EXAMPLES.hello.protocol), /^PROTOCOL = (\d+)$/m.exec(python)?.[1]);
});

test("the next session has the same sidecar", async () => {
	stage.sidecar(answering());
	const pi = new FakePi(tank);
	pi.emit("session_start", { reason: "startup" });
	const { sidecar } = common;
	pi.emit("session_shutdown", { reason: "reload" });
	assert.equal(common.sidecar, sidecar);
	pi.emit("session_start", { reason: "reload" });
	await read(pi, "hello");
	assert.equal(common.sidecar, sidecar);
});
