import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { answer, Session } from "../src/orders.ts";
import type { Asked } from "../src/records.ts";

/** A session whose Pi writes down what it is given. */
function session({ idle = true, pending = false } = {}): { session: Session; given: unknown[] } {
	const given: unknown[] = [];
	const note = (name: string) => (...args: unknown[]) => void given.push([name, ...args]);
	const pi = { sendUserMessage: note("user"), sendMessage: note("shown"), appendEntry: note("entry") };
	const ctx = { isIdle: () => idle, hasPendingMessages: () => pending };
	const made = new Session(pi as unknown as ExtensionAPI, ctx as unknown as ExtensionContext);
	made.welcome = true;
	return { session: made, given };
}

const deliver: Asked = { type: "deliver", id: 7, text: "/quit", mode: "follow_up", expiresAt: Date.now() + 60_000 };
const show: Asked = { type: "show", id: 8, text: "text" };
const append: Asked = { type: "append", id: 9, customType: "tank-priority", data: { priority: 1 } };

test("a message is given to an idle Pi, always with its way to be queued", async () => {
	const { session: idle, given } = session();
	const said = { type: "answer", id: 7, outcome: "done", error: null, isIdle: true, hasPendingMessages: false };
	assert.deepEqual(await answer(deliver, idle), said);
	await answer({ ...deliver, mode: "steer" }, idle);
	assert.deepEqual(given, [["user", "/quit", { deliverAs: "followUp" }], ["user", "/quit", { deliverAs: "steer" }]]);
});

test("during a run a message is queued, and the answer says once it lies there", async () => {
	const { session: busy } = session({ idle: false });
	busy.running = true;
	let asked = 0;
	Object.assign(busy.ctx, { hasPendingMessages: () => ++asked > 2 });
	const said = { type: "answer", id: 7, outcome: "done", error: null, isIdle: false, hasPendingMessages: true };
	assert.deepEqual(await answer(deliver, busy), said);
});

test("busy while Pi compacts, while a prompt is about to start, and before the sidecar knows the session", async () => {
	const [compacting, starting, unknown] = [session({ idle: false }), session(), session()];
	starting.session.promptedAt = performance.now();
	unknown.session.welcome = false;
	for (const { session, given } of [compacting, starting, unknown]) {
		assert.equal((await answer(deliver, session)).outcome, "busy");
		assert.equal((await answer(show, session)).outcome, "busy");
		assert.deepEqual(given, []);
	}
	for (const order of [deliver, show, append]) {
		const said = { type: "answer", id: order.id, outcome: "busy", error: null, isIdle: false, hasPendingMessages: false };
		assert.deepEqual(await answer(order, undefined), said);
		assert.equal((await answer(order, unknown.session)).outcome, "busy");
	}
});

test("a message read too late is dropped", async () => {
	const { session: idle, given } = session();
	assert.equal((await answer({ ...deliver, expiresAt: Date.now() - 1 }, idle)).outcome, "expired");
	assert.deepEqual(given, []);
});

test("a message is shown only at rest, an entry is appended at any time", async () => {
	const { session: busy, given } = session({ idle: false });
	busy.running = true;
	assert.equal((await answer(show, busy)).outcome, "busy");
	assert.equal((await answer(append, busy)).outcome, "done");
	assert.deepEqual(given, [["entry", "tank-priority", { priority: 1 }]]);
	const rest = session();
	assert.equal((await answer(show, rest.session)).outcome, "done");
	const message = { customType: "tank-message", content: "text", display: true };
	assert.deepEqual(rest.given, [["shown", message, { triggerTurn: false }]]);
});

test("what Pi throws is the answer's error", async () => {
	const { session: stale } = session();
	Object.assign(stale.ctx, { isIdle: () => assert.fail("stale") });
	const said = await answer(append, stale);
	assert.deepEqual([said.outcome, said.error], ["failed", "stale"]);
});
