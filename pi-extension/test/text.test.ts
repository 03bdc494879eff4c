import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, foreign, head, tail } from "../src/text.ts";

const LIMIT = 16 * 1024;

test("head and tail count code points and never split one", () => {
	assert.equal(head("a😀b😀", 2), "a😀");
	assert.equal(tail("😀a😀b", 2), "😀b");
	assert.equal(head("😀", 1), "😀");
	assert.equal(tail("short", 99), "short");
});

test("half a pair counts as one point at either end", () => {
	assert.equal(head("\ud83dab", 2), "\ud83da");
	assert.equal(tail("ab\ude00", 2), "b\ude00");
	assert.equal(tail("\ude00", 5), "\ude00");
});

test("a record is one line of JSON", () => {
	assert.equal(encode({ type: "input", text: "two\nlines" }), '{"type":"input","text":"two\\nlines"}\n');
});

test("lone surrogates become replacement characters, pairs and escaped text stay", () => {
	const record = { type: "t", text: "a\ud83d b\ude00", pair: "😀", literal: "\\ud83d" };
	const line = encode(record, { kept: "\udc00" });
	assert.ok(line.isWellFormed());
	const { type, pair, literal } = record;
	assert.deepEqual(JSON.parse(line), { type, text: "a\ufffd b\ufffd", pair, literal, kept: "\ufffd" });
});

test("a string is cut at 4,096 code points, shorter when the record would pass 16 KiB", () => {
	assert.equal(JSON.parse(encode({ type: "t", text: "x".repeat(9000) })).text.length, 4096);
	for (const character of ["😀", "\u0001", "漢", '"']) {
		const line = encode({ type: "t", text: character.repeat(9000), other: character.repeat(9000) });
		assert.ok(Buffer.byteLength(line) <= LIMIT + 1);
		assert.ok(JSON.parse(line).text.startsWith(character));
	}
});

test("whatever the text, a record is well-formed, short enough and its beginning", () => {
	const parts = ["a", "\n", "\\", '"', "\\ud83d", "\ud83d", "\ude00", "😀", "漢", "\u0000", "\u2028"];
	for (let round = 0; round < 300; round++) {
		const count = 2 ** (round % 14);
		const text = Array.from({ length: count }, () => parts[Math.floor(Math.random() * parts.length)]).join("");
		const line = encode({ type: "input", text, again: text });
		assert.ok(line.isWellFormed() && Buffer.byteLength(line) <= LIMIT + 1);
		assert.ok(line.indexOf("\n") === line.length - 1);
		assert.ok(text.toWellFormed().startsWith(JSON.parse(line).text), JSON.stringify(text));
	}
});

test("the fields of whole are neither cut nor counted", () => {
	const kept = { text: "y".repeat(300_000) };
	assert.deepEqual(JSON.parse(encode({ type: "hello", id: 1 }, { kept })), { type: "hello", id: 1, kept });
	assert.equal(encode({ type: "hello" }, { kept: undefined }), '{"type":"hello","kept":null}\n');
});

test("another extension's data is cut, and null when even that doesn't make it small", () => {
	assert.deepEqual(foreign({ text: "z".repeat(9000) }), { text: "z".repeat(1024) });
	assert.equal(foreign(Array.from({ length: 9000 }, () => 1)), null);
	assert.equal(foreign(undefined), null);
	assert.equal(foreign("short"), "short");
});
