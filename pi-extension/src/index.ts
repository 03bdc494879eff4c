/**
 * Tank's extension: publishes this Pi session for the board and lets sessions send each other messages. It forwards
 * what Pi tells it, in Pi's own words, to the sidecar, which decides what it means, and carries out what that orders.
 * Only interactive sessions have a sidecar; nothing here throws into Pi, and nothing waits but in Tank's home.
 */

import type { ExtensionAPI, ExtensionContext, InputEvent } from "@earendil-works/pi-coding-agent";
import { argument, ending, facts, model, prompt, reply, usage } from "./facts.ts";
import { type Home, homeOf } from "./home.ts";
import { connect, shared } from "./link.ts";
import { type Overlay, overlay } from "./overlay.ts";
import type { Order } from "./records.ts";
import { answer, Session, STARTING_MS } from "./session.ts";
import { followFocus, keyPress } from "./terminal.ts";
import { describe, registerTools } from "./tools.ts";

export default function tank(pi: ExtensionAPI): void {
	if (process.env.PI_SUBAGENT_CHILD === "1") return;
	const common = shared();
	/** Only from session_start to session_shutdown may Pi be touched. */
	let session: Session | undefined;
	let board: Overlay | undefined;
	let home: Home | undefined;
	let stopKey = () => {};
	const link = connect(common, { facts: () => session && facts(session), order, notice, safely });

	function start(reason: string, ctx: ExtensionContext): void {
		if (!ctx.mode) return notice("old", "Tank needs a newer Pi and does nothing in this session.", ctx);
		if (ctx.mode !== "tui") return;
		if (common.owner) return notice("second", "Tank is loaded twice, this copy does nothing: see `pi list`.", ctx);
		if (reason === "reload") common.noticed.clear();
		common.owner = link;
		session = new Session(pi, ctx);
		const described = describe();
		registerTools(pi, described.tools, link, notice);
		home = homeOf(session, common, link, { notice, safely }, (names) => {
			return registerTools(pi, described.homeTools.filter(({ name }) => names.includes(name)), link, notice);
		});
		common.release?.();
		common.release = followFocus((focused) => safely(() => {
			common.focused = focused;
			link.send({ type: "focus", focused });
		}));
		link.open(reason);
		board = overlay(session, described.board, { notice, safely });
		board.register(pi);
	}

	/** Until the next copy starts, this one reads what the sidecar orders and the terminal reports. */
	function stop(reason: string): void {
		link.send({ type: "session_shutdown", reason });
		session?.watching?.abort();
		stopKey();
		const opened = board;
		common.owner = session = board = home = undefined;
		opened?.end();
	}

	function order(order: Order): void {
		if (order.type === "welcome" && session) session.entryTypes = order.entryTypes;
		if (order.type === "notify") session?.ctx.ui.notify(order.text, order.level);
		if (order.type === "watch_key") watchKey();
		if (session?.entryTypes) home?.hear(order);
		if (order.type === "deliver" || order.type === "show" || order.type === "append") {
			answer(order, session, (said) => safely(() => link.send(said)));
		}
	}

	function watchKey(): void {
		stopKey();
		if (!session) return;
		stopKey = session.ctx.ui.onTerminalInput((data) => void safely(() => {
			const press = keyPress(data);
			if (!press || board?.takesKey(data)) return;
			stopKey();
			link.send({ type: "key", ...press });
		}));
	}

	function notice(key: string, text: string, ctx = session?.ctx): void {
		if (!ctx || common.noticed.has(key)) return;
		common.noticed.add(key);
		try {
			ctx.ui.notify(text, "warning");
		} catch {
			// A session that is being replaced shows no notice.
		}
	}

	/** An exception that leaves a listener or a timer ends Pi; one that leaves a handler shows its stack. */
	function safely(act: () => void): void {
		try {
			act();
		} catch (error) {
			notice("error", `Tank: ${error}`);
		}
	}

	/** A handler that forwards these fields of an event, while this copy serves Pi. */
	function on<E extends { type: string }>(fields: (event: E, session: Session) => object | undefined) {
		return (event: E): void => safely(() => {
			const found = session && fields(event, session);
			if (found) link.send({ type: event.type, ...found });
		});
	}

	pi.on("session_start", ({ reason }, ctx) => safely(() => start(reason, ctx)));
	pi.on("session_shutdown", ({ reason }) => session && safely(() => stop(reason)));
	pi.on("session_info_changed", on(({ name = null }) => ({ name })));
	pi.on("session_before_tree", on(() => ({})));
	pi.on("session_tree", on((_, session) => ({ facts: facts(session) })));
	pi.on("session_before_compact", on(({ reason }) => ({ reason })));
	pi.on("session_compact", on(({ reason }, { ctx }) => ({ reason, context: usage(ctx) })));
	pi.on("session_compact_failed", on(({ reason }, { ctx }) => ({ reason, context: usage(ctx) })));
	pi.on("model_select", on((event, { ctx }) => ({ model: model(event.model), context: usage(ctx) })));
	const input = on<InputEvent>(({ text, source, streamingBehavior = null }, session) => {
		if (!streamingBehavior) session.startingUntil = performance.now() + STARTING_MS;
		return { text, source, streamingBehavior };
	});
	pi.on("input", (event) => {
		if (event.source === "interactive" && board?.takesPrompt(event.text)) return { action: "handled" as const };
		return input(event);
	});
	const starts = on(() => ({}));
	pi.on("before_agent_start", (event) => {
		starts(event);
		return home?.prepare(event);
	});
	pi.on("agent_start", on((_, session) => {
		session.running = true;
		session.ended = null;
		session.startingUntil = 0;
		session.watching?.abort();
		return {};
	}));
	pi.on("agent_end", on(({ messages }, session) => (session.ended = ending(messages))));
	pi.on("agent_settled", on(({ aborted }, session) => {
		const { ctx } = session;
		session.running = false;
		session.watch((entries) => link.send({ type: "entries", entries }));
		return { aborted, isIdle: ctx.isIdle(), hasPendingMessages: ctx.hasPendingMessages(), context: usage(ctx) };
	}));
	pi.on("message_start", on(({ message }, { ctx }) => {
		return { role: message.role, text: prompt(message), hasPendingMessages: ctx.hasPendingMessages() };
	}));
	pi.on("message_end", on(({ message }, { ctx }) => {
		return message.role === "assistant" ? { reply: reply(message), context: usage(ctx) } : undefined;
	}));
	pi.on("tool_execution_start", on(({ toolCallId, toolName, args }) => {
		return { toolCallId, toolName, argument: argument(args) };
	}));
	pi.on("tool_execution_end", on(({ toolCallId }) => ({ toolCallId })));
	pi.on("ui_prompt_start", on(({ kind, title = null }, session) => {
		session.dialog = { kind, title };
		if (performance.now() < session.startingUntil) session.startingUntil = Infinity;
		return session.dialog;
	}));
	pi.on("ui_prompt_end", on(({ kind, title = null }, session) => {
		session.dialog = null;
		board?.dialogEnded();
		if (session.startingUntil === Infinity) session.startingUntil = performance.now() + STARTING_MS;
		return { kind, title };
	}));
}
