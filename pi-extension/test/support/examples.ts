/** The examples of the contract that Python checks against its models, and a Pi that says what they say. */

import { readdirSync, readFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

type Json = { [field: string]: any };
type Handler = (event: Json, ctx: ExtensionContext) => unknown;

function examples(contract: string): Json {
	const folder = new URL(`../../../schema/examples/${contract}/`, import.meta.url);
	const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
	return Object.fromEntries(readdirSync(folder).map((name) => [name.replace(".json", ""), read(name)]));
}

export const EXAMPLES = examples("link");
export const SCREEN = examples("screen");

/** Hands events to one copy of the extension, and writes down what the copy does with Pi. */
export class FakePi {
	readonly notices: string[] = [];
	readonly tools: Json[] = [];
	/** Names of the tools that the model has. */
	active: string[] = [];
	readonly commands: Json[] = [];
	readonly shortcuts = new Map<string, Json>();
	readonly screen = new FakeScreen();
	/** What listens to the terminal, the first first. */
	readonly listeners: ((data: string) => Json | undefined)[] = [];
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
				onTerminalInput: (listener: (data: string) => Json | undefined) => {
					this.listeners.push(listener);
					return () => {
						const at = this.listeners.indexOf(listener);
						if (at >= 0) this.listeners.splice(at, 1);
					};
				},
				setWidget: (_key: string, factory: ((screen: FakeScreen) => unknown) | undefined) => factory?.(this.screen),
				theme: { style: (text: string, look: Json) => `\x1b[${this.screen.theme}m${JSON.stringify(look)}${text}\x1b[0m` },
			},
		};
		this.ctx = ctx as unknown as ExtensionContext;
		const pi = {
			on: (name: string, handler: Handler) => this.#handlers.set(name, handler),
			getAllTools: () => this.tools,
			registerTool: (tool: Json) => void (this.tools.push(tool), this.active.push(tool.name)),
			getActiveTools: () => this.active,
			setActiveTools: (names: string[]) => void (this.active = names),
			getCommands: () => this.commands,
			registerCommand: (name: string, options: Json) => void this.commands.push({ name, ...options }),
			registerShortcut: (key: string, options: Json) => void this.shortcuts.set(key, options),
		};
		extension(pi as unknown as ExtensionAPI);
	}

	/** What the handler returns: nothing, or Pi would act on it. */
	emit(type: string, event: Json = {}): unknown {
		return this.#handlers.get(type)?.({ type, ...event }, this.ctx);
	}

	/** As the terminal sends it; whether a listener took it from Pi. */
	type(data: string): boolean {
		return this.listeners.slice().some((listener) => listener(data)?.consume);
	}
}

/** Pi's renderer, as far as an overlay needs it. */
export class FakeScreen {
	readonly terminal = { columns: 80, rows: 24, write: (text: string) => void this.written.push(text) };
	readonly written: string[] = [];
	theme = 1;
	overlay: Json | undefined;
	renders = 0;

	showOverlay(component: Json): Json {
		this.overlay = component;
		return {
			hide: () => {
				this.overlay = undefined;
			},
		};
	}

	requestRender(): void {
		this.renders++;
	}
}
