/** The session of Pi that a copy of the extension serves: what is known of it, watched in it and given to it. */

import { watch } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { latest } from "./facts.ts";
import type { Asked, Forwarded } from "./records.ts";

const STARTING_MS = 2000;
/** Pi queues a message only after every extension's `input` handler has heard it. */
const QUEUED_MS = 500;
const POLL_MS = 10;

export class Session {
	readonly ctx: ExtensionContext;
	/** What the sidecar's welcome asked for; all that it ordered before was meant for the session that went. */
	entryTypes: readonly string[] | undefined;
	/** From agent_start to agent_settled. */
	running = false;
	/** When a prompt was given to the idle Pi whose run hasn't begun: `isIdle()` is still true. */
	promptedAt = -Infinity;
	dialog: { kind: string; title: string | null } | null = null;
	/** How many of the session's entries were looked at. */
	#seen: number;
	#watching = new AbortController();

	constructor(ctx: ExtensionContext) {
		this.ctx = ctx;
		this.#seen = ctx.sessionManager.getEntries().length;
	}

	/** Whether nothing runs, compacts or is about to. */
	resting(): boolean {
		return !this.running && this.ctx.isIdle() && performance.now() - this.promptedAt > STARTING_MS;
	}

	/** Finds new custom entries until `unwatch`: no event tells of another extension's, a change of the file does. */
	async watch(found: (entries: object[]) => void): Promise<void> {
		this.unwatch();
		const { signal } = (this.#watching = new AbortController());
		try {
			this.#look(found);
			const file = this.ctx.sessionManager.getSessionFile();
			if (file) for await (const _ of watch(file, { persistent: false, signal })) this.#look(found);
		} catch {
			// Unwatched, or there is no file to watch.
		}
	}

	unwatch(): void {
		this.#watching.abort();
	}

	#look(found: (entries: object[]) => void): void {
		const entries = this.ctx.sessionManager.getEntries().slice(this.#seen);
		this.#seen += entries.length;
		const asked = (this.entryTypes ?? []).flatMap((type) => latest(entries, type) ?? []);
		if (asked.length > 0) found(asked);
	}
}

/** Carries it out; busy while one session gives way to another. Never rejects. */
export async function answer(pi: ExtensionAPI, order: Asked, session: Session | undefined): Promise<Forwarded> {
	const said = { type: "answer", id: order.id, outcome: "busy", error: null, isIdle: false, hasPendingMessages: false };
	if (!session?.entryTypes) return said;
	const { ctx } = session;
	try {
		said.isIdle = ctx.isIdle();
		said.outcome = carryOut(pi, order, session);
		const queues = order.type === "deliver" && said.outcome === "done" && !said.isIdle;
		for (let ms = 0; queues && ms < QUEUED_MS && !ctx.hasPendingMessages(); ms += POLL_MS) {
			await setTimeout(POLL_MS);
		}
		said.hasPendingMessages = ctx.hasPendingMessages();
		return said;
	} catch (error) {
		return { ...said, outcome: "failed", error: error instanceof Error ? error.message : String(error) };
	}
}

/** Pi loses a message while it compacts, and a second one before the run of the first has begun. */
function carryOut(pi: ExtensionAPI, order: Asked, session: Session): "done" | "busy" | "expired" {
	if (order.type === "deliver") {
		if (Date.now() > order.expiresAt) return "expired";
		if (!session.running && !session.resting()) return "busy";
		pi.sendUserMessage(order.text, { deliverAs: order.mode === "steer" ? "steer" : "followUp" });
	} else if (order.type === "show") {
		// Shown during a run it would enter that run's next request.
		if (!session.resting()) return "busy";
		pi.sendMessage({ customType: "tank-message", content: order.text, display: true }, { triggerTurn: false });
	} else {
		pi.appendEntry(order.customType, order.data);
	}
	return "done";
}
