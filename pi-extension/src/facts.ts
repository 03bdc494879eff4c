/** What Pi can be asked and what its events carry, in the words of the contract. */

import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Session } from "./orders.ts";
import { foreign, head, tail } from "./text.ts";

const PROMPTS = 8;
const PROMPT_POINTS = 512;
const REPLY_POINTS = 1024;
/** Arguments that name what a tool works on, the most telling first. */
const TELLING = "command path file_path pattern query url target name title question prompt task".split(" ");

type Message = { role: string; content?: unknown; stopReason?: string; errorMessage?: string };
type Custom = Extract<SessionEntry, { type: "custom" }>;

export function facts({ ctx, dialog }: Session): object {
	const manager = ctx.sessionManager;
	const branch = manager.getBranch();
	const entries = manager.getEntries();
	const recap = lastCustom(entries, "session-recap");
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
		prompts: prompts(branch),
		reply: lastReply(branch),
		priority: foreign(lastCustom(entries, "tank-priority")?.data),
		recap: recap ? custom(recap) : null,
	};
}

export function model(known: ExtensionContext["model"]): object | null {
	return known ? { provider: known.provider, id: known.id } : null;
}

export function usage(ctx: ExtensionContext): object | null {
	const known = ctx.getContextUsage();
	return known ? { tokens: known.tokens, contextWindow: known.contextWindow, percent: known.percent } : null;
}

function text(message: Message): string {
	if (typeof message.content === "string") return message.content;
	const blocks = (message.content ?? []) as { type: string; text: string }[];
	return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export function prompt(message: Message): string | null {
	return message.role === "user" ? head(text(message), PROMPT_POINTS) : null;
}

/** Null for an answer that only calls tools. */
export function reply(message: Message): string | null {
	return message.role === "assistant" ? tail(text(message).trimEnd(), REPLY_POINTS) || null : null;
}

export function prompts(branch: readonly SessionEntry[]): string[] {
	const texts = branch.values().map((entry) => (entry.type === "message" ? prompt(entry.message) : null));
	return texts.filter((said) => said !== null).take(PROMPTS).toArray();
}

export function lastReply(branch: readonly SessionEntry[]): string | null {
	const last = branch.findLast((entry) => entry.type === "message" && reply(entry.message));
	return last?.type === "message" ? reply(last.message) : null;
}

/** How an attempt ended: what the last answer among its messages says. */
export function ending(messages: readonly Message[]): object {
	const { stopReason = null, errorMessage = null } = messages.findLast(({ role }) => role === "assistant") ?? {};
	return { stopReason, errorMessage };
}

export function argument(args: unknown): string | null {
	const named = (args ?? {}) as Record<string, unknown>;
	const found = TELLING.map((name) => named[name]).find((value) => typeof value === "string");
	return typeof found === "string" ? found : null;
}

export function isCustom(entry: SessionEntry, types: readonly string[]): entry is Custom {
	return entry.type === "custom" && types.includes(entry.customType);
}

export function custom(entry: Custom): object {
	return { customType: entry.customType, data: foreign(entry.data), at: entry.timestamp };
}

function lastCustom(entries: readonly SessionEntry[], type: string): Custom | undefined {
	return entries.findLast((entry): entry is Custom => isCustom(entry, [type]));
}
