/** The sidecar's life and the lines to and from it: one process for all copies of the extension in this Pi. */

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { interpreter, launch } from "./launch.ts";
import type { Forwarded, HelloReason, Order, Result } from "./records.ts";
import type { Shared } from "./shared.ts";
import { encode } from "./text.ts";

/** Read, not imported: Pi's /reload loads code anew, but keeps imported JSON. */
const pkg = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
const PROTOCOL = 1;
/** Records that the sidecar answers with `welcome` or `taken`. */
const ANSWERED = new Set(["hello", "agent_start", "agent_settled", "call"]);
/** Milliseconds. One failure more than `restart` has delays, within `failures`, and no sidecar is started any more. */
const TIMES = { answer: 5000, grace: 500, result: 8000, restart: [250, 1000, 4000, 15_000], failures: 60_000 };
const UNREAD_BYTES = 256 * 1024;
const CALL_BYTES = 128 * 1024;
const LINE_CHARACTERS = 4 * 1024 * 1024;

/** What the link needs of the copy that it serves. */
export interface Side {
	facts(): object | undefined;
	/** Any order but `taken` and `result`; of `welcome` only the one to the last hello. */
	order(order: Order): void;
	/** Tells the person, once for each key. */
	notice(key: string, text: string): void;
}

export class Link {
	readonly #shared: Shared;
	readonly #side: Side;
	readonly #times: typeof TIMES;
	readonly #unanswered = new Set<number>();
	readonly #calls = new Map<number, (result: Result) => void>();
	#failures: number[] = [];
	#restart: NodeJS.Timeout | undefined;
	#unreadLimit = UNREAD_BYTES;
	#helloId = 0;
	/** Whether this copy started the sidecar that runs. */
	#own = false;
	#detach = () => {};

	constructor(shared: Shared, side: Side, times = TIMES) {
		this.#shared = shared;
		this.#side = side;
		this.#times = times;
	}

	/** Takes over the sidecar of the copy before, or starts one; says hello. */
	open(reason: HelloReason): void {
		if (this.#shared.sidecar) this.#attach(this.#shared.sidecar);
		else this.#start();
		this.#hello(reason);
	}

	/** Leaves the sidecar to the next copy. */
	release(): void {
		clearTimeout(this.#restart);
		this.#letGo("The session ended before Tank answered.");
	}

	/** The end of its input ends the sidecar. */
	end(): void {
		this.release();
		this.#shared.sidecar?.stdin?.end();
		this.#shared.sidecar = undefined;
	}

	/** Returns the id, 0 when nobody is there to read the record. The fields of `whole` are never cut. */
	send(record: Forwarded, whole?: object): number {
		const stdin = this.#shared.sidecar?.stdin;
		if (!stdin) return 0;
		if (!stdin.writable || stdin.writableLength > this.#unreadLimit) {
			this.#fail();
			return 0;
		}
		const id = ++this.#shared.lastId;
		const answered = ANSWERED.has(record.type);
		stdin.write(encode(answered ? { id, ...record } : record, whole));
		if (answered) this.#expect(id);
		return id;
	}

	/** Asks the sidecar to carry out a tool; never rejects. */
	call(tool: string, args: unknown, signal?: AbortSignal): Promise<Result> {
		const error = (text: string) => ({ text, isError: true });
		return new Promise((resolve) => {
			if (Buffer.byteLength(JSON.stringify(args ?? null)) > CALL_BYTES) {
				return resolve(error("Too long, nothing was done: put the text into a file and send its path."));
			}
			const id = this.send({ type: "call", tool }, { arguments: args });
			if (!id) return resolve(error("Tank isn't running in this session, nothing was done."));
			const settle = (result: Result) => {
				clearTimeout(timer);
				signal?.removeEventListener("abort", abort);
				this.#calls.delete(id);
				resolve(result);
			};
			const abort = () => settle(error("Aborted; Tank may have done it all the same."));
			const late = () => settle(error(`Tank did not answer within ${this.#times.result / 1000} s; it may have done it.`));
			const timer = setTimeout(late, this.#times.result);
			this.#calls.set(id, settle);
			signal?.addEventListener("abort", abort);
			if (signal?.aborted) abort();
		});
	}

	/** After Pi was suspended, the sidecar gets time to write and Pi to read before it is judged. */
	#expect(id: number): void {
		this.#unanswered.add(id);
		const silent = () => this.#unanswered.has(id);
		const judge = () => silent() && this.#fail();
		const wait = () => silent() && setTimeout(() => setImmediate(judge), this.#times.grace).unref();
		setTimeout(wait, this.#times.answer).unref();
	}

	#start(): void {
		this.#shared.sidecar = undefined;
		this.#shared.partial = "";
		const python = interpreter();
		if (!python) return this.#side.notice("python", "Tank has no Python to run: `tank install`, then /reload.");
		const sidecar = launch(python);
		sidecar.on("error", ({ message }) => {
			if (sidecar !== this.#shared.sidecar) return;
			this.#detach();
			this.#shared.sidecar = undefined;
			this.#side.notice("python", `Tank can't start (${message}): \`tank install\`, then /reload.`);
		});
		this.#shared.sidecar = sidecar;
		this.#own = true;
		this.#attach(sidecar);
	}

	#attach(sidecar: ChildProcess): void {
		const read = (text: string) => this.#read(text);
		const closed = () => this.#fail();
		sidecar.stdout?.on("data", read);
		sidecar.on("close", closed);
		this.#detach = () => {
			sidecar.stdout?.off("data", read);
			sidecar.off("close", closed);
		};
	}

	#hello(reason: HelloReason): void {
		const { kept, focused, sidecar } = this.#shared;
		const facts = this.#side.facts();
		const hello = { type: "hello", tank: pkg.version, protocol: PROTOCOL, pid: process.pid, reason, facts };
		this.#helloId = this.send(hello, { kept });
		this.#unreadLimit = UNREAD_BYTES + (sidecar?.stdin?.writableLength ?? 0);
		if (this.#own && focused !== undefined) this.send({ type: "focus", focused });
	}

	#read(text: string): void {
		const { sidecar } = this.#shared;
		const lines = (this.#shared.partial + text).split("\n");
		this.#shared.partial = lines.pop() ?? "";
		if (this.#shared.partial.length > LINE_CHARACTERS) return this.#fail();
		for (const line of lines) {
			if (this.#shared.sidecar !== sidecar) return;
			try {
				this.#take(JSON.parse(line));
			} catch {
				// A line that can't be read or carried out says nothing about the next one.
			}
		}
	}

	#take(order: Order): void {
		if (order.type === "result") return this.#calls.get(order.id)?.(order);
		if (order.type === "taken" || order.type === "welcome") this.#unanswered.delete(order.id);
		if (order.type === "welcome" && (order.id !== this.#helloId || this.#outdated(order.tank))) return;
		if (order.type !== "taken") this.#side.order(order);
	}

	/** Replaces a sidecar of another version, unless it is what Python starts now. */
	#outdated(version: string): boolean {
		if (version === pkg.version) return false;
		if (this.#own) {
			const text = `Tank ${version} serves this session, its extension is ${pkg.version}: run \`tank install\` again.`;
			this.#side.notice("version", text);
			return false;
		}
		this.#detach();
		this.#shared.sidecar?.kill("SIGKILL");
		this.#start();
		this.#hello("restart");
		return true;
	}

	/** Ends a sidecar that is dead, silent or behind; a few times another is started after a while. */
	#fail(): void {
		this.#letGo("Tank stopped before it answered; it may have done it.");
		this.#shared.sidecar?.kill("SIGKILL");
		this.#shared.sidecar = undefined;
		const now = performance.now();
		this.#failures = [...this.#failures.filter((at) => now - at < this.#times.failures), now];
		const delay = this.#times.restart[this.#failures.length - 1];
		if (delay) this.#restart = setTimeout(() => this.#again(), delay).unref();
		else this.#side.notice("stopped", "Tank keeps stopping, this session is off the board: `tank doctor`, then /reload.");
	}

	#again(): void {
		if (!this.#shared.owner) return;
		try {
			this.#start();
			this.#hello("restart");
		} catch {
			this.#fail();
		}
	}

	#letGo(text: string): void {
		this.#detach();
		this.#unanswered.clear();
		for (const settle of [...this.#calls.values()]) settle({ text, isError: true });
	}
}
