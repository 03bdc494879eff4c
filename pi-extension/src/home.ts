/** What a session in Tank's home has besides: his tools, and his notes in every prompt. The sidecar says whether it is one. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { BeforeAgentStartEvent } from "@earendil-works/pi-coding-agent";
import type { Link, Shared, Side } from "./link.ts";
import type { Order } from "./records.ts";
import type { Session } from "./session.ts";

const MARKER = join(".pi", "tank.json");
/** Milliseconds that the first run waits to hear whose it is, and each for its notes. */
const WAIT = { whose: 1000, notes: 200 };

export class Home {
	readonly #link: Link;
	readonly #register: (tools: string[]) => void;
	readonly #told = Promise.withResolvers<void>();
	readonly #asked = new Map<number, (text: string | null) => void>();
	#registered: string[] = [];
	#hasNotes = false;
	#text: string | null = null;

	/** Only in a directory with the marker, which no ordinary one has: elsewhere nothing ever waits. */
	static of(session: Session, shared: Shared, link: Link, register: (tools: string[]) => void): Home | undefined {
		const { cwd } = session.ctx;
		if (!existsSync(join(cwd, MARKER))) return undefined;
		const home = new Home(link, register);
		// Tools that come after /reload's session_start would be missing from the next request.
		if (shared.home?.cwd === cwd) home.#take(shared.home.tools);
		return home;
	}

	private constructor(link: Link, register: (tools: string[]) => void) {
		this.#link = link;
		this.#register = register;
	}

	hear(order: Order, session: Session, shared: Shared, safely: Side["safely"]): void {
		if (order.type === "home") {
			this.#hasNotes = order.notes;
			const { tools } = order;
			this.#take(tools);
			shared.home = tools.length ? { cwd: session.ctx.cwd, tools } : undefined;
			this.#told.resolve();
		} else if (order.type === "notes") {
			this.#asked.get(order.id)?.(order.text);
		} else if (order.type === "ask") {
			const tell = (confirmed: boolean | null) => {
				safely(() => this.#link.send({ type: "asked", id: order.id, confirmed }));
			};
			session.ctx.ui.confirm(order.title, order.text).then(tell, () => tell(null));
		}
	}

	/** Puts the notes into the prompt that a run starts with: as they are now, else as they last were. Never rejects. */
	async prepare(event: BeforeAgentStartEvent): Promise<void> {
		await Promise.race([this.#told.promise, setTimeout(WAIT.whose)]);
		this.#told.resolve();
		if (!this.#hasNotes) return;
		const id = this.#link.send({ type: "prepare" });
		if (id) {
			const answer = new Promise<string | null>((resolve) => this.#asked.set(id, resolve));
			this.#text = await Promise.race([answer, setTimeout(WAIT.notes, this.#text)]);
			this.#asked.delete(id);
		}
		if (this.#text) event.systemPromptOptions.sections.notes = this.#text;
	}

	#take(tools: string[]): void {
		this.#register(tools.filter((name) => !this.#registered.includes(name)));
		this.#registered = tools;
	}
}
