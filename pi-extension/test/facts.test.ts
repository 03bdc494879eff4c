import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionAPI, SessionEntry } from "@earendil-works/pi-coding-agent";
import { argument, ending, facts, latest, prompt, reply } from "../src/facts.ts";
import { Session } from "../src/session.ts";
import { FakePi } from "./support/examples.ts";

const image = { type: "image", data: "AAAA", mimeType: "image/png" };

test("of the branch the first eight prompts and the last reply are told", () => {
	const said = (role: string, ...content: object[]) => ({ type: "message", message: { role, content } });
	const text = (text: string) => ({ type: "text", text });
	const users = Array.from({ length: 10 }, (_, n) => said("user", text(`${n}`)));
	const answers = [said("assistant", text("no")), said("assistant", text("yes")), said("assistant", { type: "toolCall" })];
	const { ctx } = new FakePi(() => {});
	Object.assign(ctx.sessionManager, { getBranch: () => [said("system"), ...users, ...answers, said("user", text("q"))] });
	const { prompts, reply } = facts(new Session({} as ExtensionAPI, ctx)) as { prompts: string[]; reply: string };
	assert.deepEqual([prompts, reply], [["0", "1", "2", "3", "4", "5", "6", "7"], "yes"]);
	Object.assign(ctx.sessionManager, { getBranch: () => [] });
	assert.equal((facts(new Session({} as ExtensionAPI, ctx)) as { reply: unknown }).reply, null);
});

test("a prompt is cut to 512 code points", () => {
	assert.equal(prompt({ role: "user", content: `7${"😀".repeat(600)}` }), `7${"😀".repeat(511)}`);
});

test("a prompt's text blocks are joined, its images left out", () => {
	const content = [{ type: "text", text: "a" }, image, { type: "text", text: "b" }];
	assert.equal(prompt({ role: "user", content }), "a\nb");
	assert.equal(prompt({ role: "user", content: [image] }), "");
	assert.equal(prompt({ role: "user", content: null }), "");
	assert.equal(prompt({ role: "toolResult", content: [{ type: "text", text: "secret" }] }), null);
});

test("a reply is the end of an answer's text, null where an answer has none", () => {
	const long = `${"x".repeat(5000)} end \n`;
	assert.equal(reply({ role: "assistant", content: [{ type: "text", text: long }] }), `${"x".repeat(1020)} end`);
	assert.equal(reply({ role: "assistant", content: [{ type: "toolCall", name: "bash" }] }), null);
});

test("an attempt ends as its last answer says", () => {
	const failed = { role: "assistant", stopReason: "error", errorMessage: "529" };
	assert.deepEqual(ending([{ role: "assistant", stopReason: "stop" }, failed, { role: "toolResult" }]), {
		stopReason: "error",
		errorMessage: "529",
	});
	assert.deepEqual(ending([]), { stopReason: null, errorMessage: null });
});

test("the argument is the first telling string", () => {
	assert.equal(argument({ timeout: 3, path: "/a", command: "ls" }), "ls");
	assert.equal(argument({ path: ["/a"], question: "why?" }), "why?");
	assert.equal(argument({ edits: [] }), null);
	assert.equal(argument(undefined), null);
});

test("the last custom entry of a type carries its data and time", () => {
	const entry = (customType: string, data: unknown, timestamp: string): SessionEntry => {
		return { type: "custom", id: "1", parentId: null, timestamp, customType, data };
	};
	const entries = [entry("a", 1, "t1"), entry("a", { text: "r" }, "t2"), entry("b", 2, "t3")];
	assert.deepEqual(latest(entries, "a"), { customType: "a", data: { text: "r" }, at: "t2" });
	assert.equal(latest(entries, "c"), null);
});
