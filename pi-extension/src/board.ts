/** The process that draws the board over Pi, one for each time it is opened, and the records to and from it. */

import { launch } from "./launch.ts";
import type { Forwarded, FromBoard } from "./records.ts";
import { encode } from "./text.ts";

/** Milliseconds for an answer to a key, after a grace in which Pi reads what came while it was suspended; for the end. */
const TIMES = { answer: 1900, grace: 100, end: 500 };
/** Of one input; only a paste is longer. */
const INPUT_CHARACTERS = 64 * 1024;
const PASTE_END = "\x1b[201~";
/** Much more than a full screen. */
const RECORD_CHARACTERS = 1024 * 1024;

export type Loss = "failed" | "stopped" | "silent";

/** Throws when there is no Python to run. After `end` nothing is heard of it. */
export class Board {
	/** What it says. */
	hear: (said: FromBoard) => void = () => {};
	/** It is gone: called once at most. */
	lost: (why: Loss, detail: string) => void = () => {};
	readonly #child = launch("overlay");
	readonly #times: typeof TIMES;
	#unfinished = "";
	#lastId = 0;
	#waiting: NodeJS.Timeout | undefined;
	#ended = false;

	constructor(times = TIMES) {
		this.#times = times;
		this.#child.on("error", ({ message }) => this.#lose("failed", message)).on("close", () => this.#lose("stopped"));
		this.#child.stdout?.on("data", (text: string) => this.#read(text));
	}

	send(record: Forwarded, whole?: object): void {
		this.#child.stdin?.write(encode(record, whole));
	}

	/** An input as the terminal sent it, of whole code points; to be answered in time. */
	type(input: string): void {
		const data = input.length > INPUT_CHARACTERS ? input.slice(0, INPUT_CHARACTERS) + PASTE_END : input;
		this.send({ type: "key", id: ++this.#lastId }, { data });
		if (!this.#waiting) this.#wait();
	}

	/** It reads the end of its input; one that hangs is killed, at the latest when Pi exits. */
	end(): void {
		if (this.#ended) return;
		this.#ended = true;
		clearTimeout(this.#waiting);
		if (!this.#child.pid) return;
		const kill = () => void this.#child.kill("SIGKILL");
		const late = setTimeout(kill, this.#times.end).unref();
		process.on("exit", kill);
		this.#child.on("exit", () => {
			clearTimeout(late);
			process.off("exit", kill);
		});
		this.#child.stdin?.end();
	}

	#wait(): void {
		const { answer, grace } = this.#times;
		const late = () => {
			this.#waiting = setTimeout(() => this.#lose("silent"), grace).unref();
		};
		this.#waiting = setTimeout(late, answer).unref();
	}

	#read(text: string): void {
		const lines = (this.#unfinished + text).split("\n");
		this.#unfinished = lines.pop() ?? "";
		try {
			if (this.#unfinished.length > RECORD_CHARACTERS) throw new Error("no record is so long");
			for (const line of lines) if (!this.#ended) this.#take(JSON.parse(line));
		} catch {
			this.#lose("stopped");
		}
	}

	#take(said: FromBoard): void {
		if (said.type !== "taken") return this.hear(said);
		clearTimeout(this.#waiting);
		this.#waiting = undefined;
		if (said.id < this.#lastId) this.#wait();
	}

	#lose(why: Loss, detail = ""): void {
		if (this.#ended) return;
		this.end();
		this.lost(why, detail);
	}
}
