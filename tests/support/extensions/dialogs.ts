/**
 * Dialogs of somebody else's extension, in every place one can come from.
 *
 * tool `ask` {kind, title, second?}: opens a dialog, with `second` another one over it, and returns the answers
 * tool `bash` with GATED in its command: a confirm in the tool_call hook
 * command `/ask KIND TITLE`: the person's own dialog
 * command `/abort`: ctx.abort()
 */

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

type Kind = "confirm" | "select" | "input" | "editor" | "custom" | "overlay";

function screen(ctx: ExtensionContext, title: string, overlay: boolean): Promise<string> {
	return ctx.ui.custom<string>(
		(_tui, _theme, _keybindings, done) => ({
			render: (width: number) => [`custom: ${title}`.slice(0, width)],
			handleInput: (data: string) => done(`key ${JSON.stringify(data)}`),
			invalidate: () => {},
		}),
		{ overlay },
	);
}

async function open(ctx: ExtensionContext, kind: Kind, title: string): Promise<string> {
	switch (kind) {
		case "confirm":
			return String(await ctx.ui.confirm(title, "Shall it be so?"));
		case "select":
			return String(await ctx.ui.select(title, ["first choice", "second choice"]));
		case "input":
			return String(await ctx.ui.input(title, "a word"));
		case "editor":
			return String(await ctx.ui.editor(title, "a text"));
		default:
			return screen(ctx, title, kind === "overlay");
	}
}

export default function (pi: ExtensionAPI): void {
	pi.registerTool({
		name: "ask",
		label: "Ask",
		description: "Asks the person",
		parameters: {
			type: "object",
			properties: { kind: { type: "string" }, title: { type: "string" }, second: { type: "string" } },
			required: ["kind", "title"],
		} as never,
		async execute(_id, params, _signal, _onUpdate, ctx) {
			const { kind, title, second } = params as { kind: Kind; title: string; second?: string };
			const answers = await Promise.all([
				open(ctx, kind, title),
				...(second === undefined ? [] : [open(ctx, "confirm", second)]),
			]);
			return { content: [{ type: "text", text: `answers: ${answers.join(", ")}` }], details: undefined };
		},
	});

	pi.on("tool_call", async (event, ctx) => {
		const command = event.toolName === "bash" ? String(event.input.command) : "";
		if (!command.includes("GATED")) return undefined;
		const allowed = await ctx.ui.confirm("Allow bash?", command);
		return allowed ? undefined : { block: true, reason: "The person said no" };
	});

	pi.registerCommand("ask", {
		description: "Opens a dialog",
		handler: async (args, ctx) => {
			const [kind = "confirm", ...title] = args.split(" ");
			ctx.ui.notify(`answered: ${await open(ctx, kind as Kind, title.join(" "))}`, "info");
		},
	});

	pi.registerCommand("abort", {
		description: "Aborts the run",
		handler: async (_args, ctx) => ctx.abort(),
	});
}
