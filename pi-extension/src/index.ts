/**
 * Tank's extension: publishes this Pi session for the board and lets sessions send each other messages.
 *
 * It forwards what Pi tells it, in Pi's own words, to the sidecar, and carries out what the sidecar orders. What any of
 * it means is decided there. Only interactive sessions have one; nothing here throws into Pi or waits.
 */

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { argument, ending, facts, model, prompt, reply, usage } from "./facts.ts";
import { Link } from "./link.ts";
import { answer, Session } from "./orders.ts";
import type { Forwarded, HelloReason, Order } from "./records.ts";
import { shared } from "./shared.ts";
import { followFocus, keyPress } from "./terminal.ts";
import { registerTools } from "./tools.ts";
import { EntryWatch } from "./watch.ts";

export default function tank(pi: ExtensionAPI): void {
	if (process.env.PI_SUBAGENT_CHILD === "1") return;
	const common = shared();
	/** Only from session_start to session_shutdown may Pi be touched. */
	let session: Session | undefined;
	let watch: EntryWatch | undefined;
	let stopKey = () => {};
	let stopFocus = () => {};
	const link = new Link(common, {
		facts: () => session && facts(session),
		order,
		notice: (key, text) => safely(() => notice(key, text)),
	});

	function start(reason: HelloReason, ctx: ExtensionContext): void {
		if (ctx.mode !== "tui" && ctx.mode !== undefined) return;
		if (!ctx.mode || !ctx.ui.onTerminalInput || !pi.getAllTools) {
			return notice("old", "Tank needs a newer Pi and does nothing in this session.", ctx);
		}
		if (common.owner) return notice("second", "Tank is loaded twice, this copy does nothing: see `pi list`.", ctx);
		if (reason === "reload") common.noticed.clear();
		common.release?.();
		common.release = release;
		common.owner = link;
		session = new Session(pi, ctx);
		watch = new EntryWatch(session, (entry) => link.send({ type: "entries", entries: [entry] }));
		const taken = registerTools(pi, (tool, args, signal) => link.call(tool, args, signal));
		if (taken.length > 0) notice("tools", `Tank left the tool ${taken.join(", ")} of another extension alone.`);
		link.open(reason);
		stopFocus = followFocus(focus);
		if (common.keyWanted) watchKey();
	}

	function stop(reason: string): void {
		link.send({ type: "session_shutdown", reason });
		watch?.close();
		stopKey();
		common.owner = session = watch = undefined;
		if (reason !== "quit") return;
		link.end();
	}

	/** Called by the next copy: until then this one reads what the sidecar orders and the terminal reports. */
	function release(): void {
		link.release();
		stopFocus();
	}

	function order(order: Order): void {
		switch (order.type) {
			case "deliver":
			case "show":
			case "append":
				answer(order, session).then((said) => safely(() => link.send(said)));
				break;
			case "keep":
				common.kept = order.value;
				break;
			case "welcome":
				if (session) session.welcome = true;
				if (watch) watch.types = order.entryTypes;
				break;
			case "notify":
				session?.ctx.ui.notify(order.text, order.level);
				break;
			case "watch_key":
				common.keyWanted = true;
				watchKey();
		}
	}

	function notice(key: string, text: string, ctx = session?.ctx): void {
		if (!ctx || common.noticed.has(key)) return;
		common.noticed.add(key);
		ctx.ui.notify(text, "warning");
	}

	function focus(focused: boolean): void {
		if (focused === common.focused) return;
		common.focused = focused;
		safely(() => link.send({ type: "focus", focused }));
	}

	function watchKey(): void {
		stopKey();
		if (!session) return;
		stopKey = session.ctx.ui.onTerminalInput((data) => {
			const press = keyPress(data);
			if (press) {
				stopKey();
				common.keyWanted = false;
				safely(() => link.send({ type: "key", ...press }));
			}
			return undefined;
		});
	}

	/** An exception that leaves a listener or a timer ends Pi; one that leaves a handler shows its stack. */
	function safely(act: () => void): void {
		try {
			act();
		} catch (error) {
			try {
				notice("error", `Tank: ${error}`);
			} catch {
				// A session that is being replaced shows no notice.
			}
		}
	}

	/** A handler that forwards the record it makes of an event, while this copy serves Pi. */
	function on<E>(record: (event: E, session: Session) => Forwarded | undefined): (event: E) => void {
		return (event) => safely(() => {
			const found = session && record(event, session);
			if (found) link.send(found);
		});
	}

	pi.on("session_start", ({ reason }, ctx) => safely(() => start(reason, ctx)));
	pi.on("session_shutdown", ({ reason }) => session && safely(() => stop(reason)));
	pi.on("session_info_changed", on(({ type, name = null }) => ({ type, name })));
	pi.on("session_before_tree", on(({ type }) => ({ type })));
	pi.on("session_tree", on(({ type }, session) => ({ type, facts: facts(session) })));
	pi.on("session_before_compact", on(({ type, reason }) => ({ type, reason })));
	pi.on("session_compact", on(({ type, reason }, { ctx }) => ({ type, reason, context: usage(ctx) })));
	pi.on("session_compact_failed", on(({ type, reason }, { ctx }) => ({ type, reason, context: usage(ctx) })));
	pi.on("model_select", on((event, { ctx }) => ({ type: event.type, model: model(event.model), context: usage(ctx) })));
	pi.on("input", on(({ type, text, source, streamingBehavior = null }, session) => {
		if (!streamingBehavior) session.promptedAt = performance.now();
		return { type, text, source, streamingBehavior };
	}));
	pi.on("before_agent_start", on(({ type }, session) => {
		session.promptedAt = -Infinity;
		return { type };
	}));
	pi.on("agent_start", on(({ type }, session) => {
		session.promptedAt = -Infinity;
		session.running = true;
		watch?.close();
		return { type };
	}));
	pi.on("agent_end", on(({ type, messages }) => ({ type, ...ending(messages) })));
	pi.on("agent_settled", on(({ type, aborted }, session) => {
		const { ctx } = session;
		session.running = false;
		watch?.open();
		const [isIdle, hasPendingMessages] = [ctx.isIdle(), ctx.hasPendingMessages()];
		return { type, aborted, isIdle, hasPendingMessages, context: usage(ctx) };
	}));
	pi.on("message_start", on(({ type, message }, { ctx }) => {
		return { type, role: message.role, text: prompt(message), hasPendingMessages: ctx.hasPendingMessages() };
	}));
	pi.on("message_end", on(({ type, message }, { ctx }) => {
		return message.role === "assistant" ? { type, reply: reply(message), context: usage(ctx) } : undefined;
	}));
	pi.on("tool_execution_start", on(({ type, toolCallId, toolName, args }) => {
		return { type, toolCallId, toolName, argument: argument(args) };
	}));
	pi.on("tool_execution_end", on(({ type, toolCallId }) => ({ type, toolCallId })));
	pi.on("ui_prompt_start", on(({ type, kind, title = null }, session) => {
		session.dialog = { kind, title };
		return { type, kind, title };
	}));
	pi.on("ui_prompt_end", on(({ type, kind, title = null }, session) => {
		session.dialog = null;
		return { type, kind, title };
	}));
}
