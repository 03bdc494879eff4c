/** The sidecar's life and the lines to and from it: one process for all copies of the extension in this Pi. */

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { launch } from "./launch.ts";
import type { Forwarded, HelloReason, Order, Result } from "./records.ts";
import { encode } from "./text.ts";

/** Read, not imported: Pi's /reload loads code anew, but keeps imported JSON. */
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
const PROTOCOL = 1;
/** Records that the sidecar answers with `welcome` or `taken`. */
const ANSWERED = ["hello", "agent_start", "agent_settled", "call"];
/** Milliseconds. A failure counts for a while; one more than there are delays, and no sidecar is started any more. */
const TIMES = { answer: 5000, grace: 500, result: 8000, restart: [250, 1000, 4000, 15_000], failure: 60_000 };
const UNREAD_BYTES = 256 * 1024;

/** What outlives a copy of the extension: each session and each /reload load a fresh one, globalThis stays. */
export class Shared {
	/** The link of the copy that serves Pi; none between session_shutdown and the next session_start. */
	owner: object | undefined;
	/** Ends what the copy before reads until there is another. */
	release: (() => void) | undefined;
	sidecar: ChildProcess | undefined;
	/** The sidecar's, as it said or must be. */
	version = "";
	/** The sidecar's output after its last line end. */
	partial = "";
	lastId = 0;
	/** The sidecar's own value, returned to it in every hello. */
	kept: unknown = null;
	/** As the terminal reported last. */
	focused: boolean | undefined;
	/** Notices that aren't repeated before a /reload. */
	noticed = new Set<string>();
}

export function shared(): Shared {
	const holder = globalThis as { [key: symbol]: Shared | undefined };
	return (holder[Symbol.for("pi-tank")] ??= new Shared());
}

/** What the link needs of the copy that it serves. */
export interface Side {
	facts(): object | undefined;
	/** Any order but `taken` and `result`; of `welcome` only the one to the last hello. */
	order(order: Order): void;
	/** Tells the person, once for each key; never throws. */
	notice(key: string, text: string): void;
}

export type Link = ReturnType<typeof connect>;

export function connect(shared: Shared, side: Side, times = TIMES) {
	const calls = new Map<number, (result: Result) => void>();
	let failures = 0;
	let unreadLimit = UNREAD_BYTES;
	let helloId = 0;
	/** The last record that the sidecar says it took. */
	let taken = 0;

	/** Takes over the sidecar of the copy before, or starts one; says hello. */
	function open(reason: HelloReason): void {
		if (shared.sidecar && shared.version === version) listen(shared.sidecar);
		else start();
		hello(reason);
	}

	/** The end of its input ends the sidecar. */
	function end(): void {
		shared.sidecar?.stdin?.end();
		shared.sidecar = undefined;
	}

	/** Returns the id, 0 when nobody is there to read the record. The fields of `whole` are never cut. */
	function send(record: Forwarded, whole?: object): number {
		const stdin = shared.sidecar?.stdin;
		if (stdin && stdin.writableLength > unreadLimit) fail();
		if (!stdin || !shared.sidecar) return 0;
		const id = ++shared.lastId;
		const answered = ANSWERED.includes(record.type);
		stdin.write(encode(answered ? { id, ...record } : record, whole));
		if (answered) expect(id);
		return id;
	}

	/** Asks the sidecar to carry out a tool; never rejects. */
	async function call(tool: string, args: unknown, signal?: AbortSignal): Promise<Result> {
		const id = signal?.aborted ? 0 : send({ type: "call", tool }, { arguments: args });
		if (!id) return failed("Aborted, or Tank isn't running in this session: nothing was done.");
		const { promise, resolve } = Promise.withResolvers<Result>();
		const late = `Tank did not answer within ${times.result / 1000} s; it may have done it.`;
		setTimeout(() => resolve(failed(late)), times.result).unref();
		signal?.addEventListener("abort", () => resolve(failed("Aborted; Tank may have done it all the same.")));
		calls.set(id, resolve);
		return promise.finally(() => calls.delete(id));
	}

	function start(): void {
		shared.sidecar?.kill("SIGKILL");
		shared.sidecar = launch();
		shared.version = version;
		shared.partial = "";
		shared.sidecar.on("error", ({ message }) => {
			side.notice("stopped", `Tank can't start (${message}): \`tank install\`, then /reload.`);
		});
		listen(shared.sidecar);
	}

	/** In the place of the copy before. */
	function listen(sidecar: ChildProcess): void {
		const serves = () => shared.sidecar === sidecar;
		sidecar.removeAllListeners("close").on("close", () => serves() && fail());
		sidecar.stdout?.removeAllListeners("data").on("data", (text: string) => {
			if (!serves()) return;
			const lines = (shared.partial + text).split("\n");
			shared.partial = lines.pop() ?? "";
			for (const line of lines) if (serves()) take(line);
		});
	}

	function hello(reason: HelloReason): void {
		const { kept, focused, sidecar } = shared;
		const facts = side.facts();
		helloId = send({ type: "hello", tank: version, protocol: PROTOCOL, pid: process.pid, reason, facts }, { kept });
		unreadLimit = UNREAD_BYTES + (sidecar?.stdin?.writableLength ?? 0);
		if (focused !== undefined) send({ type: "focus", focused });
	}

	function take(line: string): void {
		try {
			const order = JSON.parse(line) as Order;
			if (order.type === "taken" || order.type === "welcome") taken = order.id;
			if (order.type === "welcome") {
				shared.version = order.tank;
				const text = `Tank ${order.tank} serves this session, its extension is ${version}: run \`tank install\` again.`;
				if (order.tank !== version) side.notice("version", text);
			}
			if (order.type === "result") calls.get(order.id)?.(order);
			else if (order.type !== "welcome" || order.id === helloId) side.order(order);
		} catch {
			// A line that can't be read or carried out says nothing about the next one.
		}
	}

	/** After Pi was suspended, the sidecar gets time to write and Pi to read before it is judged. */
	function expect(id: number): void {
		const { sidecar } = shared;
		const judge = () => taken < id && shared.sidecar === sidecar && shared.owner === link && fail();
		setTimeout(() => setTimeout(judge, times.grace).unref(), times.answer).unref();
	}

	/** Ends a sidecar that is dead, silent or behind; a few times another is started after a while. */
	function fail(): void {
		shared.sidecar?.kill("SIGKILL");
		shared.sidecar = undefined;
		for (const end of calls.values()) end(failed("Tank stopped before it answered; it may have done it."));
		const delay = times.restart[failures++];
		setTimeout(() => failures--, times.failure).unref();
		if (delay) setTimeout(again, delay).unref();
		else side.notice("stopped", "Tank keeps stopping, this session is off the board: `tank doctor`, then /reload.");
	}

	/** Unless another copy serves Pi by now, or none. */
	function again(): void {
		if (shared.owner !== link || shared.sidecar) return;
		try {
			start();
			hello("restart");
		} catch {
			fail();
		}
	}

	const link = { open, end, send, call };
	return link;
}

function failed(text: string): Result {
	return { text, isError: true };
}
