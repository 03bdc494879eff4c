/** The sidecar's life and the lines to and from it: one process for all copies of the extension in this Pi. */

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { launch } from "./launch.ts";
import type { Forwarded, Order, Result } from "./records.ts";
import { encode } from "./text.ts";

/** Read, not imported: Pi's /reload loads code anew, but keeps imported JSON. */
export const { version }: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
/** Records that the sidecar answers with `welcome` or `taken`. */
const ANSWERED = ["hello", "agent_start", "agent_settled", "call"];
/** Records that get an answer of their own, which nothing depends on. */
const NUMBERED = [...ANSWERED, "prepare"];
/** Milliseconds. A failure counts for a while; one more than there are delays, and no sidecar is started any more. */
const TIMES = { answer: 5000, grace: 500, result: 8000, restart: [250, 1000, 4000, 15_000], failure: 60_000 };
const UNREAD_BYTES = 256 * 1024;
/** More than the longest order, a keep. */
const ORDER_CHARACTERS = 1024 * 1024;

/** What outlives a copy of the extension: each session and each /reload load a fresh one, globalThis stays. */
export class Shared {
	/** The link of the copy that serves Pi; none between session_shutdown and the next session_start. */
	owner: object | undefined;
	/** Ends what the copy before reads until there is another. */
	release: (() => void) | undefined;
	/** Keys of notices, not repeated before a /reload. */
	noticed = new Set<string>();
	focused: boolean | undefined;
	/** The sidecar's own value, returned to it in every hello. */
	kept: unknown = null;
	sidecar: ChildProcess | undefined;
	/** Its version, as it said or must be. */
	tank = "";
	/** Its output after the last line end. */
	unfinished = "";
	lastId = 0;
	/** The directory that the sidecar last called Tank's home, and the tools that it named. */
	home: { cwd: string; tools: string[] } | undefined;
}

export function shared(): Shared {
	const holder = globalThis as { [key: symbol]: Shared | undefined };
	return (holder[Symbol.for("pi-tank")] ??= new Shared());
}

/** The copy that a link serves. */
export interface Side {
	facts(): object | undefined;
	/** Of welcome only the one to the last hello. */
	order(order: Order): void;
	/** Tells the person, once for each key. */
	notice(key: string, text: string): void;
	safely(act: () => void): void;
}

export type Link = ReturnType<typeof connect>;

export function connect(shared: Shared, side: Side, times = TIMES) {
	const calls = new Map<number, PromiseWithResolvers<Result>>();
	let failures = 0;
	let unreadLimit = UNREAD_BYTES;
	let helloId = 0;
	/** The last record that the sidecar says it took. */
	let taken = 0;

	/** Takes over the sidecar of the copy before, or starts one; says hello. */
	function open(reason: string): void {
		const sidecar = shared.sidecar && shared.tank === version ? shared.sidecar : start();
		listen(sidecar);
		const hello = { type: "hello", tank: version, protocol: 1, pid: process.pid, reason, facts: side.facts() };
		helloId = send(hello, { kept: shared.kept });
		unreadLimit = UNREAD_BYTES + (sidecar.stdin?.writableLength ?? 0);
		if (shared.focused !== undefined) send({ type: "focus", focused: shared.focused });
	}

	/** Returns the id, 0 when nobody is there to read the record. The fields of `whole` are never cut. */
	function send(record: Forwarded, whole?: object): number {
		const { sidecar } = shared;
		if (!sidecar?.stdin) return 0;
		if (sidecar.stdin.writableLength > unreadLimit) {
			fail();
			return 0;
		}
		const id = ++shared.lastId;
		const answered = ANSWERED.includes(record.type);
		sidecar.stdin.write(encode(NUMBERED.includes(record.type) ? { id, ...record } : record, whole));
		// After Pi was suspended, the sidecar gets time to write and Pi to read before it is judged.
		const judge = () => taken < id && shared.sidecar === sidecar && shared.owner === link && fail();
		if (answered) setTimeout(() => setTimeout(judge, times.grace).unref(), times.answer).unref();
		return id;
	}

	/** Has the sidecar carry out a tool; rejects, for the model, when it doesn't say what came of it. */
	async function call(tool: string, args: unknown, signal?: AbortSignal): Promise<Result> {
		signal?.throwIfAborted();
		const id = send({ type: "call", tool }, { arguments: args });
		if (!id) throw new Error("Tank isn't running in this session, nothing was done.");
		const pending = Promise.withResolvers<Result>();
		const end = (why: string) => pending.reject(new Error(`${why}; it may have been done all the same.`));
		calls.set(id, pending);
		setTimeout(end, times.result, "Tank did not answer in time").unref();
		const abort = () => end("Aborted");
		signal?.addEventListener("abort", abort);
		return pending.promise.finally(() => {
			signal?.removeEventListener("abort", abort);
			calls.delete(id);
		});
	}

	function start(): ChildProcess {
		shared.sidecar?.kill("SIGKILL");
		const sidecar = launch("sidecar");
		sidecar.on("error", ({ message }) => {
			side.notice("stopped", `Tank can't start (${message}): \`tank install\`, then /reload.`);
		});
		shared.sidecar = sidecar;
		shared.tank = version;
		shared.unfinished = "";
		return sidecar;
	}

	/** In the place of the copy before. */
	function listen(sidecar: ChildProcess): void {
		const serves = () => shared.sidecar === sidecar;
		sidecar.removeAllListeners("close").on("close", () => serves() && fail());
		sidecar.stdout?.removeAllListeners("data").on("data", (text: string) => {
			const lines = (shared.unfinished + text).split("\n");
			if (!serves()) return;
			shared.unfinished = lines.pop() ?? "";
			// What prints anything but orders is no sidecar, and could go on for ever.
			const junk = lines.some((line) => !line.startsWith("{")) || shared.unfinished.length > ORDER_CHARACTERS;
			if (junk) return fail();
			for (const line of lines) if (serves()) side.safely(() => take(JSON.parse(line)));
		});
	}

	function take(order: Order): void {
		if (order.type === "taken" || order.type === "welcome") taken = order.id;
		if (order.type === "welcome") shared.tank = order.tank;
		if (shared.tank !== version) side.notice("version", `Tank ${shared.tank}, extension ${version}: \`tank install\`.`);
		if (order.type === "keep") shared.kept = order.value;
		else if (order.type === "result") calls.get(order.id)?.resolve(order);
		else if (order.type !== "welcome" || order.id === helloId) side.order(order);
	}

	/** Ends a sidecar that is dead, silent or behind; a few times another is started after a while. */
	function fail(): void {
		shared.sidecar?.kill("SIGKILL");
		shared.sidecar = undefined;
		for (const { reject } of calls.values()) reject(new Error("Tank stopped before it answered; it may have done it."));
		const delay = times.restart[failures++];
		setTimeout(() => failures--, times.failure).unref();
		const restart = () => shared.owner === link && !shared.sidecar && open("restart");
		if (delay) setTimeout(() => side.safely(restart), delay).unref();
		else side.notice("stopped", "Tank keeps stopping, this session is off the board: `tank doctor`, then /reload.");
	}

	const link = { open, send, call };
	return link;
}
