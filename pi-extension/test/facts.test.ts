import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { argument, custom, ending, lastReply, prompt, prompts, reply } from "../src/facts.ts";

function said(role: string, content: unknown): SessionEntry {
	return { type: "message", id: "", parentId: null, timestamp: "", message: { role, content } } as unknown as SessionEntry;
}

const image = { type: "image", data: "AAAA", mimeType: "image/png" };

test("prompts are the first eight user texts, 512 code points each", () => {
	const branch = [said("system", "s"), ...Array.from({ length: 10 }, (_, n) => said("user", `${n}${"😀".repeat(600)}`))];
	const found = prompts([...branch, said("assistant", [])]);
	assert.equal(found.length, 8);
	assert.equal(found[7], `7${"😀".repeat(511)}`);
});

test("a prompt's text blocks are joined, its images left out", () => {
	assert.equal(prompt({ role: "user", content: [{ type: "text", text: "a" }, image, { type: "text", text: "b" }] }), "a\nb");
	assert.equal(prompt({ role: "user", content: [image] }), "");
	assert.equal(prompt({ role: "toolResult", content: [{ type: "text", text: "secret" }] }), null);
});

test("a reply is the end of an answer's text, null where an answer has none", () => {
	const long = `${"x".repeat(5000)} end \n`;
	assert.equal(reply({ role: "assistant", content: [{ type: "text", text: long }] }), `${"x".repeat(1020)} end`);
	assert.equal(reply({ role: "assistant", content: [{ type: "toolCall", name: "bash" }] }), null);
	const branch = [said("assistant", [{ type: "text", text: "yes" }]), said("assistant", [{ type: "toolCall" }]), said("user", "q")];
	assert.equal(lastReply(branch), "yes");
	assert.equal(lastReply([]), null);
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

test("a custom entry carries its type, data and time", () => {
	const entry = { type: "custom", id: "1", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", customType: "session-recap", data: { text: "r" } };
	assert.deepEqual(custom(entry as Parameters<typeof custom>[0]), {
		customType: "session-recap",
		data: { text: "r" },
		at: "2026-01-01T00:00:00.000Z",
	});
});
