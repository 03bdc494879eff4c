/** Registers the tools that `schema/tools.json` describes; the sidecar carries them out. */

import { readFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Link } from "./link.ts";

type Tool = Omit<Parameters<ExtensionAPI["registerTool"]>[0], "execute">;

const SCHEMA = new URL("../../schema/tools.json", import.meta.url);

/** Returns the names that another extension has taken: Pi would ignore a second tool without a word. */
export function registerTools(pi: ExtensionAPI, link: Link): string[] {
	const { tools } = JSON.parse(readFileSync(SCHEMA, "utf8")) as { tools: Tool[] };
	const known = new Set(pi.getAllTools().map(({ name }) => name));
	for (const tool of tools.filter(({ name }) => !known.has(name))) {
		pi.registerTool({
			...tool,
			async execute(_id, params, signal) {
				const { text, isError } = await link.call(tool.name, params, signal);
				return { content: [{ type: "text", text }], details: undefined, isError };
			},
		});
	}
	return tools.map(({ name }) => name).filter((name) => known.has(name));
}
