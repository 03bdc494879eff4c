/**
 * What happens to a session while its keys go elsewhere.
 *
 * command `/when FILE reload`: ctx.reload() once the file exists
 * command `/when FILE new`: ctx.newSession()
 * command `/when FILE theme NAME`: ctx.ui.setTheme(NAME)
 * command `/when FILE command NAME`: registers a command of this name
 */

import { existsSync } from "node:fs";
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
	async function act(ctx: ExtensionCommandContext, what: string | undefined, name = ""): Promise<void> {
		if (what === "reload") await ctx.reload();
		if (what === "new") await ctx.newSession();
		if (what === "theme") ctx.ui.setTheme(name);
		if (what === "command") pi.registerCommand(name, { handler: async () => {} });
	}

	pi.registerCommand("when", {
		description: "Does it once the file exists",
		handler: async (args, ctx) => {
			const [file = "", what, name] = args.split(" ");
			const timer = setInterval(() => {
				if (!existsSync(file)) return;
				clearInterval(timer);
				void act(ctx, what, name);
			}, 20);
		},
	});
}
