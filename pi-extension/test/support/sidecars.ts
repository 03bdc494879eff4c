/** Stand-ins for the sidecar: real executables in a temporary folder, and one link to them. */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pkg from "../../package.json" with { type: "json" };
import { connect, type Link, Shared } from "../../src/link.ts";
import type { Order } from "../../src/records.ts";

/** Answers everything and hands each record back as a notice; `also` adds to what is done with a record. */
export function answering(also = "", version = pkg.version): string {
	return `
		const say = (order) => process.stdout.write(JSON.stringify(order) + "\\n");
		let rest = "";
		process.stdin.on("data", (data) => {
			const lines = (rest + data).split("\\n");
			rest = lines.pop();
			for (const record of lines.map((line) => JSON.parse(line))) {
				${also}
				if (record.type === "hello") say({ type: "welcome", id: record.id, tank: "${version}", entryTypes: [] });
				else if (record.id) say({ type: "taken", id: record.id });
				say({ type: "notify", text: JSON.stringify({ sidecar: process.pid, ...record }), level: "info" });
			}
		});`;
}

export class Stage {
	readonly folder = mkdtempSync(join(tmpdir(), "tank-"));
	readonly shared = new Shared();
	readonly orders: Order[] = [];
	readonly notices = new Set<string>();
	readonly times = { answer: 100, grace: 50, result: 300, restart: [10, 20, 30, 40], failure: 60_000 };
	/** As Pi's terminal does, it keeps the process running. */
	readonly #terminal = setInterval(() => {}, 60_000);
	readonly #python = process.env.TANK_PYTHON;

	/** What Python is from now on: a script of JavaScript. */
	sidecar(script: string): void {
		process.env.TANK_PYTHON = join(this.folder, `python-${Math.random()}`);
		writeFileSync(process.env.TANK_PYTHON, `#!${process.execPath}\n${script}`);
		chmodSync(process.env.TANK_PYTHON, 0o700);
	}

	/** As a fresh copy of the extension makes one. */
	link(times = this.times): Link {
		const link = connect(
			this.shared,
			{
				facts: () => ({ sessionId: "s" }),
				order: (order) => this.orders.push(order),
				notice: (key) => this.notices.add(key),
				safely: (act) => {
					try {
						act();
					} catch {
						this.notices.add("error");
					}
				},
			},
			times,
		);
		this.shared.owner = link;
		return link;
	}

	/** The records of this type that a sidecar has read. */
	read(type: string): { [field: string]: any }[] {
		const texts = this.orders.flatMap((order) => (order.type === "notify" ? [JSON.parse(order.text)] : []));
		return texts.filter((record) => record.type === type);
	}

	close(): void {
		clearInterval(this.#terminal);
		this.shared.owner = undefined;
		this.shared.sidecar?.kill("SIGKILL");
		if (this.#python === undefined) delete process.env.TANK_PYTHON;
		else process.env.TANK_PYTHON = this.#python;
		rmSync(this.folder, { recursive: true });
	}
}

export async function eventually<T>(found: () => T | undefined | false, withinMs = 5000): Promise<T> {
	for (const end = performance.now() + withinMs; performance.now() < end; ) {
		const value = found();
		if (value) return value;
		await setTimeout(5);
	}
	throw new Error(`not within ${withinMs} ms: ${found}`);
}

/** Stands in for the board's process too: takes keys, shows in a frame what it read; `also` adds to what it does. */
export function drawing(also = ""): string {
	return `
		if (process.argv.includes("overlay")) {
			const say = (record) => process.stdout.write(JSON.stringify(record) + "\\n");
			const read = [];
			let rest = "";
			process.stdin.on("data", (data) => {
				const lines = (rest + data).split("\\n");
				rest = lines.pop();
				for (const record of lines.map((line) => JSON.parse(line))) {
					read.push(JSON.stringify(record));
					${also}
					say({ type: "frame", lines: read });
					if (record.type === "key") say({ type: "taken", id: record.id });
				}
			});
		} else {
			${answering()}
		}`;
}
