/** The examples of the contract that Python checks against its models, and a Pi that says what they say. */

import { readdirSync, readFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

type Json = { [field: string]: any };
type Handler = (event: Json, ctx: ExtensionContext) => unknown;

const FOLDER = new URL("../../../schema/examples/link/", import.meta.url);

export const EXAMPLES: Json = Object.fromEntries(
	readdirSync(FOLDER).map((name) => {
		const example = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
		return [name.replace(".json", ""), example];
	}),
);

/** Hands events to one copy of the extension, and writes down what the copy does with Pi. */
export class FakePi {
	readonly notices: string[] = [];
	readonly tools: Json[] = [];
	input: ((data: string) => unknown) | undefined;
	readonly ctx: ExtensionContext;
	readonly #handlers = new Map<string, Handler>();

	constructor(extension: (pi: ExtensionAPI) => void, facts: Json = EXAMPLES.hello.facts, mode = "tui") {
		const said = (role: string, text: string) => {
			return { type: "message", message: { role, content: [{ type: "text", text }] } };
		};
		const branch = [...facts.prompts.map((text: string) => said("user", text)), said("assistant", facts.reply)];
		const custom = (customType: string, data: unknown, timestamp = "") => {
			return { type: "custom", customType, data, timestamp };
		};
		const old = [custom("tank-priority", { priority: 3 }), custom("session-recap", "old"), custom("other", "x")];
		const { customType, data, at } = facts.recap;
		const entries = [...branch, ...old, custom("tank-priority", facts.priority), custom(customType, data, at)];
		const ctx = {
			mode,
			cwd: facts.cwd,
			model: { ...facts.model, baseUrl: "https://secret@host" },
			isIdle: () => facts.isIdle,
			hasPendingMessages: () => facts.hasPendingMessages,
			getContextUsage: () => ({ ...facts.context, more: 1 }),
			sessionManager: {
				getSessionId: () => facts.sessionId,
				getSessionFile: () => facts.sessionFile,
				getSessionName: () => facts.name ?? undefined,
				getBranch: () => branch,
				getEntries: () => entries,
			},
			ui: {
				notify: (text: string) => void this.notices.push(text),
				onTerminalInput: (input: (data: string) => unknown) => {
					this.input = input;
					return () => {
						this.input = undefined;
					};
				},
			},
		};
		this.ctx = ctx as unknown as ExtensionContext;
		const pi = {
			on: (name: string, handler: Handler) => this.#handlers.set(name, handler),
			getAllTools: () => this.tools,
			registerTool: (tool: Json) => void this.tools.push(tool),
		};
		extension(pi as unknown as ExtensionAPI);
	}

	/** What the handler returns: nothing, or Pi would act on it. */
	emit(type: string, event: Json = {}): unknown {
		return this.#handlers.get(type)?.({ type, ...event }, this.ctx);
	}
}
