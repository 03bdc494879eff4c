/** The session of Pi that a copy of the extension serves: what is known of it, watched in it and given to it. */

import { watch } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type Ending, latest } from "./facts.ts";
import type { Asked, Forwarded } from "./records.ts";

/** How long a prompt may take through `input` handlers, their dialogs not counted, before it was swallowed. */
export const STARTING_MS = 10_000;
/** Pi queues a message only after every extension's `input` handler has heard it. */
const QUEUED_MS = 500;

export class Session {
	readonly pi: ExtensionAPI;
	readonly ctx: ExtensionContext;
	/** What the sidecar's welcome asked for; all that it ordered before was meant for the session that went. */
	entryTypes: readonly string[] | undefined;
	/** From agent_start to agent_settled. */
	running = false;
	/** Until then a prompt that Pi was given may begin its run, and `isIdle()` be still true. */
	startingUntil = 0;
	dialog: { kind: string; title: string | null } | null = null;
	/** How the last attempt ended, for a sidecar that didn't hear it. */
	ended: Ending | null = null;
	watching: AbortController | undefined;
	/** How many of the session's entries were looked at. */
	#seen: number;

	constructor(pi: ExtensionAPI, ctx: ExtensionContext) {
		this.pi = pi;
		this.ctx = ctx;
		this.#seen = ctx.sessionManager.getEntries().length;
	}

	/** Whether nothing runs, compacts or is about to. */
	resting(): boolean {
		return !this.running && performance.now() > this.startingUntil && this.ctx.isIdle();
	}

	/** Finds other extensions' entries until `watching` is aborted: no event tells of one, a change of the file does. */
	async watch(found: (entries: object[]) => void): Promise<void> {
		const manager = this.ctx.sessionManager;
		const look = () => {
			const fresh = manager.getEntries().slice(this.#seen);
			this.#seen += fresh.length;
			const entries = this.entryTypes?.flatMap((type) => latest(fresh, type) ?? []);
			if (entries?.length) found(entries);
		};
		this.watching?.abort();
		this.watching = new AbortController();
		const options = { persistent: false, signal: this.watching.signal };
		try {
			look();
			for await (const _ of watch(manager.getSessionFile() ?? "", options)) look();
		} catch {
			// Aborted, or there is no file to watch.
		}
	}
}

/** Carries it out and tells what became of it; busy while one session gives way to another. Never rejects. */
export async function answer(order: Asked, session: Session | undefined, tell: (said: Forwarded) => void) {
	const said = { type: "answer", id: order.id, outcome: "busy", error: null, isIdle: false, hasPendingMessages: false };
	if (!session?.entryTypes) return tell(said);
	const { ctx } = session;
	try {
		said.isIdle = ctx.isIdle();
		said.outcome = carryOut(order, session, () => tell({ ...said, outcome: "taken" }));
		const queues = order.type === "deliver" && said.outcome === "done" && !said.isIdle;
		for (let ms = 0; queues && ms < QUEUED_MS && !ctx.hasPendingMessages(); ms += 10) await setTimeout(10);
		tell({ ...said, hasPendingMessages: ctx.hasPendingMessages() });
	} catch (error) {
		tell({ ...said, outcome: "failed", error: error instanceof Error ? error.message : String(error) });
	}
}

/** Pi loses a message while it compacts or another is about to run, and gives the model what is shown in a run. */
function carryOut(order: Asked, session: Session, taking: () => void): "done" | "busy" | "expired" {
	const { pi, running } = session;
	const queues = order.type === "deliver" && running;
	if (order.type === "deliver" && Date.now() > order.expiresAt) return "expired";
	if (order.type !== "append" && !queues && !session.resting()) return "busy";
	if (order.type === "append") {
		pi.appendEntry(order.customType, order.data);
	} else if (order.type === "show") {
		pi.sendMessage({ customType: "tank-message", content: order.text, display: true }, { triggerTurn: false });
	} else {
		taking();
		pi.sendUserMessage(order.text, { deliverAs: order.mode === "steer" ? "steer" : "followUp" });
	}
	return "done";
}
