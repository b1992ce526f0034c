// What the benchmarks share.
import type { ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { printedLines, removeTemporaryFolders, temporaryFolder } from "@bylaw/testing";

/** The folder of an installed package. */
export const folderOf = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));

/** The built `bylaw` command. */
export const BIN: string = join(folderOf("@bylaw/cli"), "dist/bin.js");

/** The first line of a report: on what it was measured. */
export const MACHINE: string = `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}`;

/** Creates an empty folder, which is removed when the process ends. */
export function benchFolder(): string {
  process.once("exit", removeTemporaryFolders);
  return temporaryFolder();
}

/** Resolves to the address that a server prints as JSON when it listens. */
export async function listensAt(server: ChildProcess): Promise<string> {
  const read = (line: string) => JSON.parse(line) as { readonly url: string };
  return (await printedLines(server, read).said(() => true)).url;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** A number without its fraction, with commas. */
export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
