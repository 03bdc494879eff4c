/** Registers the tools that `schema/tools.json` describes; the sidecar carries them out. */

import { readFileSync } from "node:fs";
import type { ExtensionAPI, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { Link, Side } from "./link.ts";

/** But none that another extension has: Pi would ignore the second without a word. */
export function registerTools(pi: ExtensionAPI, link: Link, notice: Side["notice"]): void {
	const schema = readFileSync(new URL("../../schema/tools.json", import.meta.url), "utf8");
	const { tools } = JSON.parse(schema) as { tools: Omit<ToolDefinition, "execute">[] };
	const known = pi.getAllTools().map(({ name }) => name);
	for (const tool of tools) {
		const execute = async (_: string, args: unknown, signal: AbortSignal | undefined) => {
			const { text, isError } = await link.call(tool.name, args, signal);
			return { content: [{ type: "text" as const, text }], details: undefined, isError };
		};
		if (!known.includes(tool.name)) pi.registerTool({ ...tool, execute });
		else notice("tool", `Tank left the tool ${tool.name} of another extension alone.`);
	}
}
