/** Custom entries of other extensions: no event tells of them, a change of the session file does. */

import { type FSWatcher, watch } from "node:fs";
import { custom, isCustom } from "./facts.ts";
import type { Session } from "./orders.ts";

export class EntryWatch {
	types: readonly string[] = [];
	readonly #session: Session;
	readonly #found: (entry: object) => void;
	/** How many of the session's entries were looked at. */
	#seen: number;
	#watcher: FSWatcher | undefined;

	constructor(session: Session, found: (entry: object) => void) {
		this.#session = session;
		this.#found = found;
		this.#seen = session.ctx.sessionManager.getEntries().length;
	}

	/** Looks now and on every change until `close`. */
	open(): void {
		this.close();
		this.#look();
		try {
			const file = this.#session.ctx.sessionManager.getSessionFile();
			if (file) this.#watcher = watch(file, { persistent: false }, () => this.#look());
			this.#watcher?.on("error", () => this.close());
		} catch {
			// Pi writes the file with the first prompt; there is nothing to see before.
		}
	}

	close(): void {
		this.#watcher?.close();
		this.#watcher = undefined;
	}

	#look(): void {
		try {
			const entries = this.#session.ctx.sessionManager.getEntries();
			const fresh = entries.slice(this.#seen);
			this.#seen = entries.length;
			for (const entry of fresh) if (isCustom(entry, this.types)) this.#found(custom(entry));
		} catch {
			this.close();
		}
	}
}
