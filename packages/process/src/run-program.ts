import { performance } from "node:perf_hooks";
import { drained, exitOf, containedUser, notEnded, spawned, type Exit } from "./child.ts";
import { signalOf } from "./contain.ts";
import { endGroup, watchGroup } from "./groups.ts";
import { collect, type OutputLimit } from "./output.ts";
import type { ProgramEnd, ProgramStart } from "./program.ts";
import { endOrphans } from "./orphan-processes.ts";

const KEPT: OutputLimit = { first: 1_048_576 };
const MAX_OUTPUT = 256 * 1_048_576;
// A timer that is set to more goes off at once.
const MAX_TIMER = 2 ** 31 - 1;
// As long as one that was told to end may take.
const END_MS = 10_000;

/**
 * Runs a program to its end, without a shell, in a process group of its own that ends with it, its
 * time, its output, the signal or this process: nothing that it started in this group is left, and
 * on Linux nothing that still carries its mark. A program that cannot be started is an end with an
 * `error`. Throws the reason of an aborted signal, and what `onOutput` throws.
 */
export async function runProgram(start: ProgramStart): Promise<ProgramEnd> {
  const { timeoutMs, maxOutput = MAX_OUTPUT, keep = {}, stdin, signal, onOutput } = start;
  signal?.throwIfAborted();
  const began = performance.now();
  const streams = { stdout: collect(keep.stdout ?? KEPT), stderr: collect(keep.stderr ?? KEPT) };
  const id = globalThis.crypto.randomUUID();
  // `over`: its number may be somebody else's by now.
  const state = {
    timedOut: false,
    overflowed: false,
    over: false,
    failure: undefined as { readonly cause: unknown } | undefined,
  };
  const user = containedUser(start);
  const contained = user !== undefined;
  const answer = ([code, by, error]: Exit, duration_ms: number): ProgramEnd => {
    const told = contained ? signalOf(code) : null;
    return {
      exit_code: told === null ? code : null,
      signal: told ?? by,
      timed_out: state.timedOut,
      overflowed: state.overflowed,
      duration_ms,
      stdout: streams.stdout.output(),
      stderr: streams.stderr.output(),
      error,
    };
  };
  const child = spawned(start, id, user);
  if (typeof child === "string") return answer([null, null, child], 0);
  const stuck = Promise.withResolvers<Exit>();
  let late: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    if (state.over) return;
    endGroup(child.pid);
    late ??= setTimeout(() => stuck.resolve([null, null, notEnded(start)]), END_MS);
  };
  const timer = setTimeout(
    () => {
      state.timedOut ||= !state.over;
      stop();
    },
    Math.min(timeoutMs, MAX_TIMER),
  );
  signal?.addEventListener("abort", stop, { once: true });
  const unwatch = child.pid === undefined ? undefined : watchGroup(child.pid);
  const tell = (name: "stdout" | "stderr", text: string): void => {
    if (text === "" || state.failure !== undefined) return;
    try {
      onOutput?.(name, text);
    } catch (cause) {
      state.failure = { cause };
      stop();
    }
  };
  const flush = (["stdout", "stderr"] as const).map((name) => {
    const decoder = new TextDecoder();
    child[name]?.on("data", (chunk: Uint8Array) => {
      streams[name].add(chunk);
      if (!state.over && streams.stdout.bytes() + streams.stderr.bytes() > maxOutput) {
        state.overflowed = true;
        stop();
      }
      if (onOutput !== undefined) tell(name, decoder.decode(chunk, { stream: true }));
    });
    return () => tell(name, decoder.decode());
  });
  // Who does not read its input ends all the same.
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin ?? "");
  try {
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const exit = await Promise.race([exitOf(child, start), stuck.promise]);
    const duration_ms = Math.round(performance.now() - began);
    endGroup(child.pid);
    state.over = true;
    unwatch?.();
    if (child.pid !== undefined) {
      if (!contained) await endOrphans(id);
      await drained(child, closed);
    }
    for (const rest of flush) rest();
    signal?.throwIfAborted();
    if (state.failure !== undefined) throw state.failure.cause;
    return answer(exit, duration_ms);
  } finally {
    clearTimeout(timer);
    clearTimeout(late);
    signal?.removeEventListener("abort", stop);
    unwatch?.();
  }
}
