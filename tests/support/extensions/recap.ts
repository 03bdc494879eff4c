/** Appends a `session-recap` entry a while after each run, as a recap extension does; RECAP is its data as JSON. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
	pi.on("agent_settled", () => {
		setTimeout(() => {
			try {
				pi.appendEntry("session-recap", JSON.parse(process.env.RECAP ?? '{"text":"what was done"}'));
			} catch {
				// The session was replaced meanwhile.
			}
		}, 200);
	});
}
