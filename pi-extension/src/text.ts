/** Text and records made safe to forward: whole code points, no lone surrogates, bounded bytes. Pure. */

const RECORD_BYTES = 16 * 1024;
const FOREIGN_BYTES = 4 * 1024;
/** Code points that the strings of a record are cut to: the first of these that makes it fit. */
const STRING_POINTS = [4096, 1024, 256, 64];
const LONE_SURROGATE = /(?<=(?<!\\)(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

export function head(text: string, points: number): string {
	if (text.length <= points) return text;
	let end = 0;
	for (let left = points; left > 0 && end < text.length; left--) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
	return text.slice(0, end);
}

export function tail(text: string, points: number): string {
	let start = text.length;
	for (let left = points; left > 0 && start > 0; left--) {
		start -= start > 1 && text.codePointAt(start - 2)! > 0xffff ? 2 : 1;
	}
	return text.slice(start);
}

/** JSON that any reader of UTF-8 accepts, its strings cut to so many code points. */
function json(value: unknown, points = Infinity): string {
	const cut = (_: string, part: unknown) => (typeof part === "string" ? head(part, points) : part);
	// JSON.stringify escapes exactly the surrogates that stand alone, in keys too.
	return (JSON.stringify(value, cut) ?? "null").replace(LONE_SURROGATE, "\ufffd");
}

/** Cut as little as makes it fit; undefined when nothing does. */
function fitting(value: unknown, bytes: number): string | undefined {
	for (const points of STRING_POINTS) {
		const text = json(value, points);
		if (Buffer.byteLength(text) <= bytes) return text;
	}
	return undefined;
}

/** A record as one line of at most 16 KiB; the fields of `whole` are neither cut nor counted. */
export function encode(record: object, whole: object = {}): string {
	const text = fitting(record, RECORD_BYTES);
	if (!text) throw new Error("a record is too large even with its strings cut");
	const rest = Object.entries(whole).map(([name, value]) => `,"${name}":${json(value)}`);
	return `${text.slice(0, -1)}${rest.join("")}}\n`;
}

/** Data that another extension made, cut so that it leaves room in a record; null when it can't be. */
export function foreign(data: unknown): unknown {
	return JSON.parse(fitting(data, FOREIGN_BYTES) ?? "null");
}
