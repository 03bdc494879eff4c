/** What `schema/tools.json` describes for Pi, and the registration of its tools, which the sidecar carries out. */

import { readFileSync } from "node:fs";
import type { ExtensionAPI, Theme, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { KeyId } from "@earendil-works/pi-tui";
import type { Link, Side } from "./link.ts";

export type Look = Parameters<Theme["style"]>[1];
export type Tool = Omit<ToolDefinition, "execute">;
export interface Described {
	tools: Tool[];
	homeTools: Tool[];
	board: {
		command: { name: string; description: string };
		keys: { always: KeyId; second: KeyId[]; close: KeyId };
		opening: string;
		looks: { strong: Look; [meaning: string]: Look };
		notices: { command: string; failed: string; stopped: string; silent: string };
	};
}

export function describe(): Described {
	return JSON.parse(readFileSync(new URL("../../schema/tools.json", import.meta.url), "utf8"));
}

/** But none that another extension has: Pi would ignore the second without a word. Returns those it registered. */
export function registerTools(pi: ExtensionAPI, tools: Tool[], link: Link, notice: Side["notice"]): Tool[] {
	const known = pi.getAllTools().map(({ name }) => name);
	return tools.flatMap((tool) => {
		const execute = async (_: string, args: unknown, signal: AbortSignal | undefined) => {
			const { text, isError } = await link.call(tool.name, args, signal);
			return { content: [{ type: "text" as const, text }], details: undefined, isError };
		};
		if (!known.includes(tool.name)) pi.registerTool({ ...tool, execute });
		else notice("tool", `Tank left the tool ${tool.name} of another extension alone.`);
		return known.includes(tool.name) ? [] : [tool];
	});
}
