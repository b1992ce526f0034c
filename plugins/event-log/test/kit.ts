import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { createLogVerifier, parseEventLine, type LogFinding, type SinkWriter } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import { onTestFinished } from "vitest";
import { openMirror, type MirrorOptions } from "../src/mirror.ts";
import { givenLog, type GivenLog } from "./given-log.ts";

export { givenLog, type GivenLog } from "./given-log.ts";

/** A mirror and the warnings that it gave. */
export interface Opened {
  readonly writer: SinkWriter;
  readonly warnings: string[];
  /** Adds events to the log and writes them. */
  readonly write: (what?: number | readonly JsonObject[], timestamp?: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a mirror of a log, which is closed when the test ends. */
export async function open(
  log: GivenLog,
  path: string,
  more: Partial<MirrorOptions> = {},
): Promise<Opened> {
  const warnings: string[] = [];
  const writer = await openMirror(log, {
    path,
    durability: "strict",
    flush_ms: 100,
    rotate: { daily: false },
    warn: (code, message) => warnings.push(`${code} ${message}`),
    ...more,
  });
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await writer.close?.();
  };
  onTestFinished(() => close().catch(() => {}));
  return {
    writer,
    warnings,
    write: async (what, timestamp) => writer.write(log.add(what, timestamp), noView),
    close,
  };
}

/** A new log with a mirror in a new folder. */
export async function mirrored(more?: Partial<MirrorOptions>) {
  const path = join(temporaryFolder(), "run.jsonl");
  const log = givenLog();
  return { path, log, ...(await open(log, path, more)) };
}

export const noView = (): never => {
  throw new Error("a mirror needs no view");
};

export const linesOf = (path: string): readonly string[] =>
  readFileSync(path, "utf8").split("\n").slice(0, -1);

/** The events on the lines of a file. Lines without an event are left out. */
export const eventsOf = (path: string): readonly LogEvent[] =>
  linesOf(path).flatMap((line) => {
    try {
      return [parseEventLine(line)];
    } catch {
      return [];
    }
  });

/** The rules that the files of a log break, read as one. */
export function findingsOf(...paths: readonly string[]): readonly LogFinding["rule"][] {
  const verifier = createLogVerifier();
  return paths.flatMap(linesOf).flatMap((line) => verifier.line(line).map(({ rule }) => rule));
}
