import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Asked, Forwarded } from "../src/records.ts";
import { answer, Session } from "../src/session.ts";
import { eventually } from "./support/sidecars.ts";

/** A session that knows its sidecar, in a Pi that writes down what it is given. */
function made({ idle = true } = {}) {
	const given: unknown[] = [];
	const note = (name: string) => (...args: unknown[]) => void given.push([name, ...args]);
	const pi = { sendUserMessage: note("user"), sendMessage: note("shown"), appendEntry: note("entry") };
	const manager = { getEntries: () => [] };
	const ctx = { isIdle: () => idle, hasPendingMessages: () => false, sessionManager: manager };
	const session = new Session(pi as unknown as ExtensionAPI, ctx as unknown as ExtensionContext);
	session.entryTypes = [];
	const early: unknown[] = [];
	const told = async (order: Asked) => {
		const said: Forwarded[] = [];
		await answer(order, session, (each) => {
			early.push([each.outcome, given.length]);
			said.push(each);
		});
		return said.at(-1)!;
	};
	return { session, given, told, early };
}

const deliver: Asked = { type: "deliver", id: 7, text: "/quit", mode: "follow_up", expiresAt: Date.now() + 60_000 };
const show: Asked = { type: "show", id: 8, text: "text" };
const append: Asked = { type: "append", id: 9, customType: "tank-priority", data: { priority: 1 } };

test("a message is given to an idle Pi, always with its way to be queued", async () => {
	const { told, given, early } = made();
	const said = { type: "answer", id: 7, outcome: "done", error: null, isIdle: true, hasPendingMessages: false };
	assert.deepEqual(await told(deliver), said);
	assert.deepEqual(early, [["taken", 0], ["done", 1]], "told before Pi has it");
	await told({ ...deliver, mode: "steer" });
	assert.deepEqual(given, [["user", "/quit", { deliverAs: "followUp" }], ["user", "/quit", { deliverAs: "steer" }]]);
});

test("during a run a message is queued, and the answer says once it lies there", async () => {
	const { session, told } = made({ idle: false });
	session.running = true;
	let asked = 0;
	Object.assign(session.ctx, { hasPendingMessages: () => ++asked > 2 });
	const said = { type: "answer", id: 7, outcome: "done", error: null, isIdle: false, hasPendingMessages: true };
	assert.deepEqual(await told(deliver), said);
});

test("busy while Pi compacts, while a prompt is about to start, and before the sidecar knows the session", async () => {
	const [compacting, starting, unknown] = [made({ idle: false }), made(), made()];
	starting.session.startingUntil = performance.now() + 1000;
	unknown.session.entryTypes = undefined;
	for (const { told, given } of [compacting, starting, unknown]) {
		assert.equal((await told(deliver)).outcome, "busy");
		assert.equal((await told(show)).outcome, "busy");
		assert.deepEqual(given, []);
	}
	assert.equal((await unknown.told(append)).outcome, "busy");
	for (const order of [deliver, show, append]) {
		const said = { type: "answer", id: order.id, outcome: "busy", error: null, isIdle: false, hasPendingMessages: false };
		await answer(order, undefined, (each) => assert.deepEqual(each, said));
	}
});

test("a message read too late is dropped", async () => {
	const { told, given } = made();
	assert.equal((await told({ ...deliver, expiresAt: Date.now() - 1 })).outcome, "expired");
	assert.deepEqual(given, []);
});

test("a message is shown only at rest, an entry is appended at any time", async () => {
	const { session, told, given } = made({ idle: false });
	session.running = true;
	assert.equal((await told(show)).outcome, "busy");
	assert.equal((await told(append)).outcome, "done");
	assert.deepEqual(given, [["entry", "tank-priority", { priority: 1 }]]);
	const rest = made();
	assert.equal((await rest.told(show)).outcome, "done");
	const message = { customType: "tank-message", content: "text", display: true };
	assert.deepEqual(rest.given, [["shown", message, { triggerTurn: false }]]);
});

test("what Pi throws is the answer's error", async () => {
	const { session, told } = made();
	Object.assign(session.ctx, { isIdle: () => assert.fail("stale") });
	const said = await told(append);
	assert.deepEqual([said.outcome, said.error], ["failed", "stale"]);
});

test("entries that others append are found while watched, the last of each type that was asked for", async () => {
	const folder = mkdtempSync(join(tmpdir(), "tank-"));
	const file = join(folder, "session.jsonl");
	writeFileSync(file, "");
	const { session } = made();
	const entries: object[] = [];
	Object.assign(session.ctx.sessionManager, { getEntries: () => entries, getSessionFile: () => file });
	const append = (customType: string, data: number) => {
		entries.push({ type: "custom", customType, data, timestamp: "t" });
		appendFileSync(file, "x");
	};
	const found: object[][] = [];
	session.entryTypes = ["recap"];
	append("recap", 1);
	session.watch((asked) => found.push(asked));
	append("other", 2);
	entries.push({ type: "custom", customType: "recap", data: 3, timestamp: "t" });
	append("recap", 4);
	await eventually(() => found.length === 2);
	append("other", 5);
	await setTimeout(50);
	session.watching?.abort();
	append("recap", 6);
	await setTimeout(50);
	const entry = (data: number) => [{ customType: "recap", data, at: "t" }];
	assert.deepEqual(found, [entry(1), entry(4)]);
	rmSync(folder, { recursive: true });
});
