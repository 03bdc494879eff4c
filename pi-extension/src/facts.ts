/** What Pi can be asked and what its events carry, in the words and within the bounds of the contract. */

import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Session } from "./session.ts";
import { foreign, head, tail } from "./text.ts";

/** Arguments that name what a tool works on, the most telling first. */
const TELLING = "command path file_path pattern query url target name title question prompt task".split(" ");

export type Ending = { stopReason: string | null; errorMessage: string | null };
type Message = { role: string; content?: unknown; stopReason?: string; errorMessage?: string };

export function facts({ ctx, dialog, ended }: Session): object {
	const manager = ctx.sessionManager;
	const entries = manager.getEntries();
	const messages = manager.getBranch().flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
	const prompts = messages.values().map(prompt).filter((said) => said !== null);
	const replies = messages.toReversed().values().map(reply).filter((said) => said !== null);
	return {
		sessionId: manager.getSessionId(),
		sessionFile: manager.getSessionFile() ?? null,
		cwd: ctx.cwd,
		name: manager.getSessionName() ?? null,
		model: model(ctx.model),
		context: usage(ctx),
		isIdle: ctx.isIdle(),
		hasPendingMessages: ctx.hasPendingMessages(),
		dialog,
		ended,
		prompts: prompts.take(8).toArray(),
		reply: replies.next().value ?? null,
		priority: latest(entries, "tank-priority")?.data ?? null,
		recap: latest(entries, "session-recap"),
	};
}

export function model(known: ExtensionContext["model"]): object | null {
	return known ? { provider: known.provider, id: known.id } : null;
}

export function usage(ctx: ExtensionContext): object | null {
	const known = ctx.getContextUsage();
	return known ? { tokens: known.tokens, contextWindow: known.contextWindow, percent: known.percent } : null;
}

function text({ content }: Message): string {
	if (typeof content === "string") return content;
	const blocks = (content ?? []) as { type: string; text: string }[];
	return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export function prompt(message: Message): string | null {
	return message.role === "user" ? head(text(message), 512) : null;
}

/** Null for an answer that only calls tools. */
export function reply(message: Message): string | null {
	return message.role === "assistant" ? tail(text(message).trimEnd(), 1024) || null : null;
}

/** How an attempt ended: what the last answer among its messages says. */
export function ending(messages: readonly Message[]): Ending {
	const { stopReason = null, errorMessage = null } = messages.findLast(({ role }) => role === "assistant") ?? {};
	return { stopReason, errorMessage };
}

export function argument(args: unknown): string | null {
	const named = (args ?? {}) as Record<string, unknown>;
	return TELLING.map((name) => named[name]).find((value) => typeof value === "string") ?? null;
}

/** The last custom entry of this type, in file order. */
export function latest(entries: readonly SessionEntry[], customType: string) {
	const found = entries.findLast((entry) => entry.type === "custom" && entry.customType === customType);
	return found?.type === "custom" ? { customType, data: foreign(found.data), at: found.timestamp } : null;
}
