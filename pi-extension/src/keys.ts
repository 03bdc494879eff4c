/** Which terminal input is a key press, as Pi hands it over: one sequence or one paste at a time. Pure. */

/** Pi asks kitty-protocol terminals for the event's type: 2 is a repeat, 3 a release. */
const REPEAT_OR_RELEASE = /^\x1b\[[\d:]+;\d*:[23](;[\d:]*)?[A-Zu~]$/;
/** Shift to level 5 shift, and the three locks, pressed alone. */
const MODIFIER = /^\x1b\[(5744[1-9]|5745[0-4]|5735[89]|57360)[;:u]/;
const MOUSE_OR_FOCUS = /^\x1b\[(<|M|[IO]$|\d+;\d+;\d+M$)/;
/** Answers of the terminal: CSI with a private mark, position, size and status, and control strings. */
const ANSWER = /^\x1b(\[([?>=]|[\d;]+([cnRt]|\$y)$)|[\]P_^X].)/s;
/** Caps and num lock aren't modifiers of Esc. */
const ESCAPE = /^\x1b(\[27(:\d*)*(;(1|65|129|193)?(:1?)?(;[\d:]*)?)?u|\[27;1;27~)?$/;

export function keyPress(data: string): { escape: boolean } | undefined {
	if (!data || [REPEAT_OR_RELEASE, MODIFIER, MOUSE_OR_FOCUS, ANSWER].some((other) => other.test(data))) return undefined;
	return { escape: ESCAPE.test(data) };
}
