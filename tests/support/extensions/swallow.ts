/** Handles every input that contains SWALLOW itself, so that no run starts on it. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
	pi.on("input", (event) => (event.text.includes("SWALLOW") ? { action: "handled" } : undefined));
}
