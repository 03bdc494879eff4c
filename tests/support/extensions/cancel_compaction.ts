/** Cancels every compaction. */

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
	pi.on("session_before_compact", () => ({ cancel: true }));
}
