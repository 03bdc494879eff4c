/**
 * The board over Pi. Every key is the board's until it is closed: a tool's dialog that opens underneath takes the
 * keyboard from any overlay, and must not be answered unseen.
 */

import type { ExtensionAPI, ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { isKeyRelease, isKeyRepeat, type KeyId, matchesKey, type Component, type Focusable, type OverlayHandle, type TUI } from "@earendil-works/pi-tui";
import { Board } from "./board.ts";
import { secondKeys } from "./launch.ts";
import { type Side, version } from "./link.ts";
import type { FromBoard } from "./records.ts";
import type { Session } from "./session.ts";
import { drawable } from "./text.ts";
import type { Described, Look } from "./tools.ts";

/** In which no key reaches a dialog that the board lay over. */
const DIALOG_MS = 300;
/** A key that repeats within is held: it neither opens nor closes. */
const HELD_MS = 100;
const SCREEN = { width: "100%", maxHeight: "100%", anchor: "top-left" } as const;

export type Overlay = ReturnType<typeof overlay>;

/** For one session. Nothing is open, listens or waits before `toggle`. */
export function overlay(
	session: Session,
	{ command, keys, looks, opening, notices }: Described["board"],
	{ notice, safely }: Pick<Side, "notice" | "safely">,
) {
	const { ui } = session.ctx;
	const openers = [...((secondKeys() as KeyId[] | undefined) ?? keys.second), keys.always];
	let close: (() => void) | undefined;
	let handle: OverlayHandle | undefined;
	/** Gives Pi its keys back. */
	let release: (() => void) | undefined;
	let toggledAt = -Infinity;

	/** Of two commands of one name Pi runs neither: it sends the name to the model. */
	function register(pi: ExtensionAPI): void {
		const { name, description } = command;
		const handler = async () => safely(toggle);
		if (pi.getCommands().some((other) => other.name === name)) tellOfOther();
		else pi.registerCommand(name, { description, handler });
		for (const key of openers) pi.registerShortcut(key, { description, handler });
	}

	/** Whether this prompt is the command after all, which another extension registered later too. */
	function takesPrompt(text: string): boolean {
		if (text.trim() !== `/${command.name}`) return false;
		tellOfOther();
		safely(toggle);
		return true;
	}

	const tellOfOther = () => notice("command", `${notices.command} ${openers.join(", ")}.`);
	const matches = (data: string, wanted: KeyId[]) => wanted.some((key) => matchesKey(data, key));

	/** Whether this key is the board's, and no key press in the session. */
	const takesKey = (data: string) => release !== undefined || matches(data, openers);

	function toggle(): void {
		if (performance.now() - toggledAt > HELD_MS) (close ?? open)();
		toggledAt = performance.now();
	}

	/** With its session. */
	function end(): void {
		close?.();
		release?.();
	}

	const begin = (look: Look) => ui.theme.style("x", look).split("x")[0] ?? "";
	const theme = () => Object.fromEntries(Object.entries(looks).map(([meaning, look]) => [meaning, begin(look)]));

	function open(): void {
		let board: Board;
		let tui: TUI;
		try {
			tui = tuiOf(ui);
			board = new Board();
		} catch (error) {
			return ui.notify(`${notices.failed} ${error instanceof Error ? error.message : error}`, "warning");
		}
		let frame = [`${begin(looks.strong)}${opening}\x1b[0m`];
		let shown: string[] = [];
		let size = { columns: 0, rows: 0 };
		let sent = theme();
		let half = "";
		/**
		 * Who takes the focus from the board has it for good: Pi would give it back when a second dialog takes the place of
		 * a first, and once the board were closed no key would reach that one.
		 */
		let focused = false;

		function layOut(): void {
			size = { columns: tui.terminal.columns, rows: tui.terminal.rows };
			shown = Array.from({ length: size.rows }, (_, row) => frame[row] ?? "");
		}

		/** Always a whole screen, cached: while a run streams, Pi asks for it many times a second. */
		function render(): string[] {
			safely(() => {
				if (tui.terminal.columns === size.columns && tui.terminal.rows === size.rows) return;
				layOut();
				board.send({ type: "resize", ...size });
			});
			return shown;
		}

		function invalidate(): void {
			const now = theme();
			if (JSON.stringify(now) === JSON.stringify(sent)) return;
			sent = now;
			board.send({ type: "theme", looks: sent });
		}

		function hear(said: FromBoard): void {
			if (said.type === "close") shut();
			if (said.type === "copy") tui.terminal.write(`\x1b]52;c;${Buffer.from(said.text).toString("base64")}\x07`);
			if (said.type !== "frame") return;
			frame = said.lines.map(drawable);
			layOut();
			tui.requestRender();
		}

		function type(data: string): void {
			const closes = matches(data, openers) ? toggle : matches(data, [keys.close]) ? shut : undefined;
			if (closes) {
				if (!isKeyRelease(data) && !isKeyRepeat(data)) closes();
				return;
			}
			// An emoji comes as two inputs with half a surrogate pair each.
			half += data;
			if (/[\ud800-\udbff]$/.test(half)) return;
			board.type(half);
			half = "";
		}

		function shut(): void {
			close = undefined;
			toggledAt = -Infinity;
			board.end();
			if (session.dialog) setTimeout(() => safely(stop), DIALOG_MS).unref();
			else stop();
			handle?.hide();
			handle = undefined;
		}

		const unlisten = ui.onTerminalInput((data) => {
			if (close === shut) safely(() => type(data));
			return { consume: true };
		});
		function stop(): void {
			unlisten();
			if (release === stop) release = undefined;
		}

		release?.();
		release = stop;
		close = shut;
		board.hear = (said) => safely(() => hear(said));
		board.lost = (why, detail) => safely(() => {
			shut();
			ui.notify(`${notices[why]} ${detail}`.trim(), "warning");
		});
		layOut();
		board.send({ type: "hello", tank: version, protocol: 1, pid: process.pid, ...size, looks: sent });
		const component: Component & Focusable = {
			render,
			invalidate: () => safely(invalidate),
			handleMouse: () => ({ handled: true, render: false }),
			get focused() {
				return focused;
			},
			set focused(is: boolean) {
				const lost = focused && !is;
				focused = is;
				if (lost && close === shut) safely(() => handle?.unfocus());
			},
		};
		handle = tui.showOverlay(component, SCREEN);
	}

	/** Once no dialog waits the board has the focus again, and with it the keys that Pi's full screen would scroll by. */
	function dialogEnded(): void {
		setTimeout(() => safely(() => !session.dialog && handle?.focus()));
	}

	return { register, takesPrompt, takesKey, toggle, dialogEnded, end };
}

/** From a widget that is gone before it was drawn: Pi's renderer, which another one may replace later. */
function tuiOf(ui: ExtensionUIContext): TUI {
	let found: TUI | undefined;
	ui.setWidget("pi-tank-board", (tui) => {
		found = tui;
		return { render: () => [], invalidate: () => {} };
	});
	ui.setWidget("pi-tank-board", undefined);
	if (!found) throw new Error("Pi gave no screen to draw on");
	return found;
}
