/**
 * Tools and handlers that take their time: each waits until a file exists, so that a test decides how long.
 *
 * tool `linger` {until, stubborn?}: returns once the file exists; an abort ends it, unless it is stubborn, and makes a file
 * of the same name with `.aborted` behind it
 */

import { existsSync, writeFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

async function exists(file: string, signal?: AbortSignal): Promise<void> {
	while (!existsSync(file)) {
		if (signal?.aborted) throw new Error("aborted");
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

export default function (pi: ExtensionAPI): void {
	pi.registerTool({
		name: "linger",
		label: "Linger",
		description: "Waits until a file exists",
		parameters: {
			type: "object",
			properties: { until: { type: "string" }, stubborn: { type: "boolean" } },
			required: ["until"],
		} as never,
		async execute(_id, params, signal) {
			const { until, stubborn } = params as { until: string; stubborn?: boolean };
			signal?.addEventListener("abort", () => writeFileSync(`${until}.aborted`, ""));
			await exists(until, stubborn ? undefined : signal);
			return { content: [{ type: "text", text: "lingered" }], details: undefined };
		},
	});
}
