/** The session of Pi that a copy serves, and the orders that are carried out on it. */

import { setTimeout } from "node:timers/promises";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Asked, Forwarded } from "./records.ts";

const STARTING_MS = 2000;
/** Pi queues a message only after every extension's `input` handler has heard it. */
const QUEUED_MS = [0, 20, 100, 500];

export class Session {
	readonly pi: ExtensionAPI;
	readonly ctx: ExtensionContext;
	/** Whether the sidecar knows of it: an order read before was meant for the session that went. */
	welcome = false;
	/** From agent_start to agent_settled. */
	running = false;
	dialog: { kind: string; title: string | null } | null = null;
	/** When a prompt was given to the idle Pi whose run hasn't begun: `isIdle()` is still true. */
	promptedAt = -Infinity;

	constructor(pi: ExtensionAPI, ctx: ExtensionContext) {
		this.pi = pi;
		this.ctx = ctx;
	}

	/** Whether nothing runs, compacts or is about to. */
	resting(): boolean {
		return !this.running && this.ctx.isIdle() && performance.now() - this.promptedAt > STARTING_MS;
	}
}

/** Carries it out; busy while one session gives way to another. Never rejects. */
export async function answer(order: Asked, session: Session | undefined): Promise<Forwarded> {
	const { id } = order;
	const said = { type: "answer", id, outcome: "busy", error: null, isIdle: false, hasPendingMessages: false };
	if (!session?.welcome) return said;
	const { ctx } = session;
	try {
		said.isIdle = ctx.isIdle();
		said.outcome = carryOut(order, session);
		const queues = order.type === "deliver" && said.outcome === "done" && !said.isIdle;
		for (const ms of queues ? QUEUED_MS : []) {
			if (ctx.hasPendingMessages()) break;
			await setTimeout(ms);
		}
		said.hasPendingMessages = ctx.hasPendingMessages();
		return said;
	} catch (error) {
		return { ...said, outcome: "failed", error: error instanceof Error ? error.message : String(error) };
	}
}

/** Pi loses a message while it compacts, and a second one before the run of the first has begun. */
function carryOut(order: Asked, session: Session): "done" | "busy" | "expired" {
	const { pi, running } = session;
	if (order.type === "deliver") {
		if (Date.now() > order.expiresAt) return "expired";
		if (!running && !session.resting()) return "busy";
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
