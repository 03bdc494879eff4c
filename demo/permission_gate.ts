/** Asks before a command that deletes: somebody else's extension, as far as Tank knows. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
	pi.on("tool_call", async (event, ctx) => {
		const command = event.toolName === "bash" ? String(event.input.command) : "";
		if (!/\brm\b/.test(command)) return undefined;
		const allowed = await ctx.ui.confirm(`Allow bash: ${command}?`, "It deletes files.");
		return allowed ? undefined : { block: true, reason: "The person said no" };
	});
}
