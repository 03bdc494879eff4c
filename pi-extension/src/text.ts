/** Text and records made safe to forward: whole code points, no lone surrogates, bounded bytes. Pure. */

/** Code points that the strings of a record are cut to: the first of these that makes it fit. */
const STRING_POINTS = [4096, 1024, 256, 64];

export function head(text: string, points: number): string {
	return text.length > points ? [...text.slice(0, 2 * points)].slice(0, points).join("") : text;
}

export function tail(text: string, points: number): string {
	return [...text.slice(-2 * points)].slice(-points).join("");
}

function json(value: unknown, points = Infinity): string {
	const cut = (_: string, part: unknown) => (typeof part === "string" ? head(part, points).toWellFormed() : part);
	return JSON.stringify(value ?? null, cut);
}

/** Cut as little as makes it fit; undefined when nothing does. */
function fitting(value: unknown, bytes: number): string | undefined {
	const tries = STRING_POINTS.values().map((points) => json(value, points));
	return tries.find((text) => Buffer.byteLength(text) <= bytes);
}

/** A record as one line of at most 16 KiB; the fields of `whole` are neither cut nor counted. */
export function encode(record: object, whole: object = {}): string {
	const text = fitting(record, 16 * 1024);
	if (!text) throw new Error("a record is too large even with its strings cut");
	const rest = Object.entries(whole).map(([name, value]) => `,"${name}":${json(value)}`);
	return `${text.slice(0, -1)}${rest.join("")}}\n`;
}

/** Data that another extension made, cut so that it leaves room in a record; null when it can't be. */
export function foreign(data: unknown): unknown {
	return JSON.parse(fitting(data, 4 * 1024) ?? "null");
}

/** A line without anything that a terminal obeys but its looks (SGR). */
export function drawable(line: string): string {
	return line.replace(/(\x1b\[[\d;:]*m)|[\x00-\x1f\x7f-\x9f]/g, "$1");
}
