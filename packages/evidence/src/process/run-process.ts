import { spawn, type ChildProcess } from "node:child_process";
import { BylawError } from "@bylaw/kernel";
import { performance } from "node:perf_hooks";
import { MARK, endStrays } from "./strays.ts";

/** How much of what it says as errors is kept, in bytes. */
const KEPT_ERRORS = 64 * 1024;
// What somebody else holds open after the program has ended is not waited for.
const DRAIN_MS = 2_000;

/** What is started. */
export interface ProcessStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** How much standard output is kept, in bytes. */
  readonly maxOutput: number;
  readonly signal?: AbortSignal | undefined;
}

/** How it ended. */
export interface ProcessEnd {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  readonly stdout: string;
  /** It wrote more than is kept. */
  readonly cut: boolean;
  /** The last 64 KiB. */
  readonly stderr: string;
}

/**
 * Runs a program to its end, in a process group of its own that ends with it, its timeout or the signal: nothing that it started
 * in this group is left, and on Linux nothing that still carries the mark of the run. Throws BYLAW_TEST_COMMAND_FAILED where it cannot be started, and the reason of an aborted signal.
 */
export async function runProcess({ argv, cwd, env, timeoutMs, maxOutput, signal }: ProcessStart): Promise<ProcessEnd> {
  signal?.throwIfAborted();
  const [file = "", ...args] = argv;
  const began = performance.now();
  const out = firstBytes(maxOutput);
  const errors = lastBytes(KEPT_ERRORS);
  const mark = globalThis.crypto.randomUUID();
  const child = spawn(file, args, {
    cwd,
    env: { ...env, [MARK]: mark },
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, timeoutMs);
  const abort = (): void => endGroup(child);
  signal?.addEventListener("abort", abort, { once: true });
  child.stdout.on("data", out.add);
  child.stderr.on("data", errors.add);
  try {
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const [code, by] = await new Promise<readonly [number | null, string | null]>((resolve, reject) => {
      child.once("error", (cause) => reject(notStarted(file, cause)));
      child.once("exit", (exit, name) => resolve([exit, name]));
    });
    const duration_ms = Math.round(performance.now() - began);
    endGroup(child);
    endStrays(mark);
    await drained(child, closed);
    signal?.throwIfAborted();
    return { exit_code: code, signal: by, timed_out: timedOut, duration_ms, stdout: out.text(), cut: out.cut(), stderr: errors.text() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

// A group outlives its leader as long as somebody is in it, and its number is given to nobody else as long.
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

async function drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([closed, new Promise<void>((resolve) => (timer = setTimeout(resolve, DRAIN_MS)))]);
  clearTimeout(timer);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

interface Collected {
  readonly add: (chunk: Uint8Array) => void;
  readonly text: () => string;
  readonly cut: () => boolean;
}

// The beginning of an output up to a limit, and whether there was more.
function firstBytes(limit: number): Collected {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let cut = false;
  const add = (chunk: Uint8Array): void => {
    cut ||= size + chunk.length > limit;
    if (cut) return;
    chunks.push(chunk);
    size += chunk.length;
  };
  return { add, text: () => textOf(chunks), cut: () => cut };
}

// The end of an output, roughly up to a limit.
function lastBytes(limit: number): Collected {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const add = (chunk: Uint8Array): void => {
    chunks.push(chunk);
    size += chunk.length;
    while (size - (chunks[0]?.length ?? size) >= limit) size -= chunks.shift()?.length ?? 0;
  };
  return { add, text: () => textOf(chunks).slice(-limit), cut: () => false };
}

const textOf = (chunks: readonly Uint8Array[]): string => new TextDecoder().decode(Buffer.concat(chunks));

function notStarted(file: string, cause: unknown): BylawError {
  const code = (cause as { readonly code?: unknown }).code;
  return new BylawError({
    code: "BYLAW_TEST_COMMAND_FAILED",
    message: `Unexpected failure to start \`${file}\` (${typeof code === "string" ? code : "unknown"}), expected a program`,
    fix: "name it as it is found outside of the workspace, or with its path in it, such as `node_modules/.bin/vitest`",
    cause,
  });
}
