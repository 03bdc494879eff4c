/** What a session in Tank's home has besides: his tools, and his notes in every prompt. The sidecar says whether it is one. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { BeforeAgentStartEvent } from "@earendil-works/pi-coding-agent";
import type { Link, Shared, Side } from "./link.ts";
import type { Order } from "./records.ts";
import type { Session } from "./session.ts";
import type { Tool } from "./tools.ts";

const MARKER = join(".pi", "tank.json");
/** Milliseconds that the first run waits to hear whose it is, and each for its notes. */
const WAIT = { whose: 1000, notes: 200 };

export type Home = NonNullable<ReturnType<typeof homeOf>>;

/**
 * Only in a directory with the marker, which no ordinary one has: elsewhere nothing ever waits. `register` returns the
 * tools that it registered, not those of other extensions.
 */
export function homeOf(
	{ pi, ctx }: Session,
	shared: Shared,
	link: Link,
	{ notice, safely }: Pick<Side, "notice" | "safely">,
	register: (tools: string[]) => Tool[],
) {
	if (!existsSync(join(ctx.cwd, MARKER))) return undefined;
	const told = Promise.withResolvers<void>();
	const registered: Tool[] = [];
	let hasNotes = false;
	/** The notes as they last were, and the id of the record that they answered. */
	let text: string | null = null;
	let answered = 0;
	let heard = () => {};

	function hear(order: Order): void {
		if (order.type === "home") {
			hasNotes = order.notes;
			shared.home = order.tools.length ? { cwd: ctx.cwd, tools: order.tools } : undefined;
			take(order.tools);
			told.resolve();
		} else if (order.type === "notes" && order.id > answered) {
			text = order.text;
			answered = order.id;
			heard();
		} else if (order.type === "ask") {
			ask(order.id, order.title, order.text);
		}
	}

	/** Puts the notes into the prompt that a run starts with: as they are now, else as they last were. Never rejects. */
	async function prepare(event: BeforeAgentStartEvent): Promise<void> {
		try {
			await within(WAIT.whose, told.promise);
			told.resolve();
			const id = hasNotes && link.send({ type: "prepare" });
			if (id) await within(WAIT.notes, new Promise<void>((resolve) => (heard = () => answered >= id && resolve())));
			const { sections, toolSnippets } = event.systemPromptOptions;
			// Of tools that came meanwhile the prompt would say nothing before the next run.
			for (const { name, promptSnippet = "" } of registered) toolSnippets[name] ??= promptSnippet;
			if (hasNotes && text) sections.notes = text;
		} catch (error) {
			notice("error", `Tank: ${error}`);
		}
	}

	/** Never rejects. A dialog that closes with its session was not answered. */
	async function ask(id: number, title: string, question: string): Promise<void> {
		let confirmed: boolean | null = null;
		try {
			confirmed = await ctx.ui.confirm(title, question);
		} catch {
			// The next session here asks again.
		}
		if (shared.owner === link) safely(() => void link.send({ type: "asked", id, confirmed }));
	}

	/** His tools from now on. Pi can't forget one that he had, but keep it from the model. */
	function take(tools: string[]): void {
		registered.push(...register(tools.filter((name) => !registered.some((tool) => tool.name === name))));
		const gone = registered.map(({ name }) => name).filter((name) => !tools.includes(name));
		if (gone.length) pi.setActiveTools(pi.getActiveTools().filter((name) => !gone.includes(name)));
	}

	// Tools that come after /reload's session_start would be missing from the next request.
	if (shared.home?.cwd === ctx.cwd) take(shared.home.tools);
	return { hear, prepare };
}

/** Waits for it, but not longer, and keeps no process running. */
async function within(ms: number, awaited: Promise<void>): Promise<void> {
	await Promise.race([awaited, setTimeout(ms, undefined, { ref: false })]);
}
