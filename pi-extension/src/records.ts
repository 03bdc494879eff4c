/** The contract with the sidecar as far as types help here; `schema/link.json` says it in full. */

export type Forwarded = { type: string; [field: string]: unknown };
/** An order that is answered. */
export type Asked =
	| { type: "deliver"; id: number; text: string; mode: "follow_up" | "steer"; expiresAt: number }
	| { type: "show"; id: number; text: string }
	| { type: "append"; id: number; customType: string; data: unknown };
export type Result = { text: string; isError: boolean };
export type Order =
	| Asked
	| { type: "welcome"; id: number; tank: string; entryTypes: string[] }
	| { type: "taken"; id: number }
	| { type: "notify"; text: string; level: "info" | "warning" | "error" }
	| { type: "keep"; value: unknown }
	| { type: "home"; tools: string[]; notes: boolean }
	| { type: "notes"; id: number; text: string | null }
	| { type: "ask"; id: number; title: string; text: string }
	| { type: "watch_key" }
	| ({ type: "result"; id: number } & Result);

/** What the board over Pi says; `schema/screen.json` is the contract with it. */
export type FromBoard =
	| { type: "frame"; lines: string[] }
	| { type: "taken"; id: number }
	| { type: "close" }
	| { type: "copy"; text: string };
