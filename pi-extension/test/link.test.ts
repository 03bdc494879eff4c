import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import pkg from "../package.json" with { type: "json" };
import { answering, eventually, Stage } from "./support/sidecars.ts";

const PATIENT = { answer: 5000, grace: 500, result: 8000, restart: [10, 20, 30, 40], failure: 60_000 };
let stage: Stage;
beforeEach(() => {
	stage = new Stage();
});
afterEach(() => stage.close());

test("hello says who speaks, what Pi says and what was kept", async () => {
	stage.sidecar(answering());
	stage.shared.kept = { count: 3 };
	stage.link(PATIENT).open("startup");
	const [hello] = await eventually(() => stage.read("hello").length > 0 && stage.read("hello"));
	assert.equal(typeof hello?.sidecar, "number");
	delete hello?.sidecar;
	const facts = { sessionId: "s" };
	const said = { type: "hello", id: 1, tank: pkg.version, protocol: 1, pid: process.pid, reason: "startup", facts };
	assert.deepEqual(hello, { ...said, kept: { count: 3 } });
	assert.deepEqual([...stage.notices], []);
});

test("the next copy takes over the same sidecar, in the middle of a character too", async () => {
	const line = `Buffer.from(JSON.stringify({ type: "keep", value: "é" }) + "\\n")`;
	const half = `{ process.stdout.write(${line}.subarray(0, 25)); continue; }`;
	stage.sidecar(answering(`if (record.reason === "startup") ${half} process.stdout.write(${line}.subarray(25));`));
	stage.link(PATIENT).open("startup");
	const first = stage.shared.sidecar;
	await eventually(() => stage.shared.unfinished.length > 0);
	stage.shared.owner = undefined;
	stage.link(PATIENT).open("reload");
	await eventually(() => stage.read("hello").length > 0);
	assert.equal(stage.shared.sidecar, first);
	assert.equal(stage.shared.kept, "é");
	assert.deepEqual(stage.read("hello").map(({ reason }) => reason), ["reload"]);
});

test("a killed sidecar comes back with what was kept and the last focus", async () => {
	stage.sidecar(answering(`if (record.reason === "startup") say({ type: "keep", value: "v" });`));
	stage.shared.focused = false;
	stage.link(PATIENT).open("startup");
	await eventually(() => stage.read("hello").length === 1);
	stage.shared.sidecar?.kill("SIGKILL");
	await eventually(() => stage.read("focus").length === 2);
	const [, hello] = stage.read("hello");
	assert.equal(hello?.reason, "restart");
	assert.equal(hello?.kept, "v");
	assert.equal(stage.read("focus")[1]?.focused, false);
});

test("a sidecar that leaves a request unanswered is replaced, a slow one in time isn't", async () => {
	stage.sidecar(answering(`if (record.type === "agent_start") continue;`));
	const link = stage.link({ ...stage.times, answer: 400 });
	link.open("startup");
	await eventually(() => stage.read("hello").length === 1);
	const first = stage.shared.sidecar;
	link.send({ type: "agent_settled" });
	await setTimeout(600);
	assert.equal(stage.shared.sidecar, first);
	link.send({ type: "agent_start" });
	await eventually(() => stage.read("hello").length === 2);
	assert.notEqual(stage.shared.sidecar?.pid, first?.pid);
	assert.equal(first?.signalCode, "SIGKILL");
});

test("what one copy asked and the next one reads the answer to ends no sidecar", async () => {
	stage.sidecar(answering());
	const before = stage.link({ ...stage.times, answer: 200 });
	before.open("startup");
	await eventually(() => stage.read("hello").length === 1);
	const { sidecar } = stage.shared;
	before.send({ type: "agent_start" });
	stage.link(PATIENT).open("new");
	await setTimeout(400);
	assert.deepEqual([stage.read("agent_start").length, stage.shared.sidecar], [1, sidecar]);
});

test("an answer that came while Pi itself was busy counts", async () => {
	stage.sidecar(answering());
	const link = stage.link({ ...stage.times, answer: 400 });
	link.open("startup");
	await eventually(() => stage.read("hello").length === 1);
	await setImmediate();
	link.send({ type: "agent_start" });
	const end = performance.now() + 1000;
	while (performance.now() < end);
	await setTimeout(100);
	assert.deepEqual([stage.read("hello").length, stage.read("agent_start").length], [1, 1]);
});

test("a sidecar that stops reading is replaced before more than 256 KiB wait for it", async () => {
	stage.sidecar(answering(`if (record.type === "input") process.kill(process.pid, "SIGSTOP");`));
	const link = stage.link(PATIENT);
	link.open("startup");
	await eventually(() => stage.read("hello").length === 1);
	let sent = 0;
	for (; stage.shared.sidecar && sent < 500; sent++) {
		link.send({ type: "input", text: "x".repeat(4000) });
		await setTimeout(0);
	}
	assert.ok(sent > 64 && sent < 300, `${sent} records`);
	await eventually(() => stage.read("hello").length === 2);
});

test("a large kept value is no backlog", async () => {
	stage.sidecar(answering());
	stage.shared.kept = "k".repeat(320 * 1024);
	const link = stage.link(PATIENT);
	link.open("startup");
	link.send({ type: "agent_start" });
	await eventually(() => stage.read("agent_start").length === 1);
	assert.equal(stage.read("hello").length, 1);
});

test("a sidecar that exits at once is started five times, then one notice, until the next session", async () => {
	stage.sidecar("process.exit(1)");
	const link = stage.link(PATIENT);
	link.open("startup");
	await eventually(() => stage.notices.size > 0);
	assert.deepEqual([...stage.notices], ["stopped"]);
	assert.equal(link.send({ type: "before_agent_start" }), 0);
	stage.sidecar(answering());
	await setTimeout(100);
	assert.equal(stage.shared.sidecar, undefined);
	stage.link(PATIENT).open("new");
	await eventually(() => stage.read("hello").length === 1);
});

test("a Python that isn't there, or no file to run, is one notice, and is used once it's there", async () => {
	process.env.TANK_PYTHON = `${stage.folder}/none`;
	stage.link({ ...PATIENT, restart: [50, 200, 200] }).open("startup");
	await eventually(() => stage.notices.size > 0);
	assert.deepEqual([...stage.notices], ["stopped"]);
	stage.sidecar(answering());
	await eventually(() => stage.read("hello").length === 1);
	assert.deepEqual([...stage.notices], ["stopped"]);
});

test("between two sessions a dead sidecar isn't started again", async () => {
	stage.sidecar(answering());
	stage.link(PATIENT).open("startup");
	await eventually(() => stage.read("hello").length === 1);
	stage.shared.owner = undefined;
	stage.shared.sidecar?.kill("SIGKILL");
	await eventually(() => stage.shared.sidecar === undefined);
	await setTimeout(100);
	assert.equal(stage.shared.sidecar, undefined);
});

test("a sidecar of another version is used by the copy that started it and replaced by the next", async () => {
	stage.sidecar(answering("", "0.0.1"));
	stage.link(PATIENT).open("startup");
	await eventually(() => stage.read("hello").length === 1);
	assert.deepEqual([...stage.notices], ["version"]);
	const old = stage.shared.sidecar;
	stage.shared.owner = undefined;
	stage.sidecar(answering());
	stage.link(PATIENT).open("reload");
	await eventually(() => stage.read("hello").length === 2);
	assert.equal(old?.signalCode, "SIGKILL");
	const versions = stage.orders.flatMap((order) => (order.type === "welcome" ? [order.tank] : []));
	assert.deepEqual(versions, ["0.0.1", pkg.version]);
	assert.deepEqual(stage.read("hello").map(({ reason }) => reason), ["startup", "reload"]);
	assert.deepEqual([...stage.notices], ["version"]);
});

test("only the welcome to the last hello says that the sidecar knows the session", async () => {
	stage.sidecar(answering());
	stage.link(PATIENT).open("startup");
	stage.shared.owner = undefined;
	stage.link(PATIENT).open("new");
	await eventually(() => stage.read("hello").length === 2);
	const known = stage.orders.flatMap((order) => (order.type === "welcome" ? [order.id] : []));
	assert.deepEqual(known, [2]);
});

test("orders that say nothing known are passed over, one that breaks off has a notice", async () => {
	stage.sidecar(answering(`say({}); say({ type: "dance", id: 1 }); process.stdout.write('{"type"\\n');`));
	stage.link(PATIENT).open("startup");
	await eventually(() => stage.read("hello").length === 1);
	assert.deepEqual([...stage.notices], ["error"]);
});

for (const [what, junk] of [["lines", `"null\\n".repeat(1000)`], ["no line", `"y".repeat(2_000_000)`]] as const) {
	test(`what prints ${what} of something else is no sidecar and is ended`, async () => {
		stage.sidecar(`process.stdout.write(${junk}); setInterval(() => {}, 1000);`);
		stage.link(PATIENT).open("startup");
		await eventually(() => stage.notices.has("stopped"));
	});
}

const RESULT = `{ type: "result", id: record.id, text: "started", isError: false }`;
const CALL = `if (record.type === "call" && record.arguments.to) say(${RESULT});`;

test("a call has the sidecar's result, with its arguments uncut", async () => {
	stage.sidecar(answering(CALL));
	const link = stage.link(PATIENT);
	link.open("startup");
	const message = "m".repeat(16_000);
	const { text, isError } = await link.call("send_to_session", { to: "x", message });
	assert.deepEqual({ text, isError }, { text: "started", isError: false });
	const [call] = await eventually(() => stage.read("call").length > 0 && stage.read("call"));
	assert.ok(call?.arguments.message === message);
});

test("a call without a result in time, or aborted, is an error for the model", async () => {
	stage.sidecar(answering(CALL));
	const link = stage.link({ ...PATIENT, result: 300 });
	link.open("startup");
	await assert.rejects(link.call("t", {}), /did not answer in time/);
	await assert.rejects(link.call("t", {}, AbortSignal.abort()), /aborted/);
	const aborting = new AbortController();
	const call = link.call("t", {}, aborting.signal);
	aborting.abort();
	await assert.rejects(call, /Aborted; it may have been done/);
});

test("a call ends with its sidecar, and none is made without one", async () => {
	stage.sidecar(answering(`if (record.type === "call") process.exit(1);`));
	const link = stage.link({ ...PATIENT, restart: [] });
	link.open("startup");
	await assert.rejects(link.call("t", {}), /stopped before it answered/);
	await assert.rejects(link.call("t", {}), /isn't running/);
});
