import type { ChildProcess } from "node:child_process";
import { performance } from "node:perf_hooks";
import { drained, exitOf, containedUser, notEnded, spawned, type Exit } from "./child.ts";
import { signalOf } from "./contain.ts";
import { endOrphans } from "./orphan-processes.ts";
import { collect, type Collector, type OutputLimit } from "./output.ts";
import type { ProgramEnd, ProgramStart } from "./program.ts";

const KEPT: OutputLimit = { first: 1_048_576 };
const MAX_OUTPUT = 256 * 1_048_576;
// A timer with a longer time fires at once.
const MAX_TIMER = 2 ** 31 - 1;
// The longest wait for a program that was told to end, in milliseconds.
const END_MS = 10_000;

/**
 * Runs a program to its end, without a shell, in its own process group. The group ends with the
 * program, its time, its output limit, the signal or this process. Nothing in the group survives,
 * and on Linux nothing that still has its mark. If the program cannot be started, the result has an
 * `error`. Throws the reason of an aborted signal, and the errors of `onOutput`.
 */
export async function runProgram(start: ProgramStart): Promise<ProgramEnd> {
  start.signal?.throwIfAborted();
  const id = globalThis.crypto.randomUUID();
  const user = containedUser(start);
  const child = spawned(start, id, user);
  const running = new RunningProgram(start, { contained: user !== undefined });
  return typeof child === "string"
    ? running.endOf([null, null, child], 0)
    : await running.run(child, id);
}

type Stream = "stdout" | "stderr";

/** A running program: its output so far, and what ends it. */
class RunningProgram {
  readonly #start: ProgramStart;
  readonly #contained: boolean;
  readonly #streams: Readonly<Record<Stream, Collector>>;
  readonly #stuck = Promise.withResolvers<Exit>();
  #late: NodeJS.Timeout | undefined;
  #timedOut = false;
  #overflowed = false;
  /** Whether the program has ended. Its process id may then belong to another process. */
  #over = false;
  #failure: { readonly cause: unknown } | undefined;

  constructor(start: ProgramStart, { contained }: { readonly contained: boolean }) {
    const { stdout = KEPT, stderr = KEPT } = start.keep ?? {};
    this.#start = start;
    this.#contained = contained;
    this.#streams = { stdout: collect(stdout), stderr: collect(stderr) };
  }

  async run(child: ChildProcess, id: string): Promise<ProgramEnd> {
    const { timeoutMs, stdin, signal } = this.#start;
    const began = performance.now();
    const stop = (): void => this.#stop(child);
    const timer = setTimeout(
      () => {
        this.#timedOut ||= !this.#over;
        stop();
      },
      Math.min(timeoutMs, MAX_TIMER),
    );
    signal?.addEventListener("abort", stop, { once: true });
    const unwatch = child.pid === undefined ? undefined : watchGroup(child.pid);
    const flush = (["stdout", "stderr"] as const).map((name) => this.#read(child, name));
    // A program may end without reading its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(stdin ?? "");
    try {
      const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
      const exit = await Promise.race([exitOf(child, this.#start), this.#stuck.promise]);
      const duration_ms = Math.round(performance.now() - began);
      endGroup(child.pid);
      this.#over = true;
      unwatch?.();
      if (child.pid !== undefined) {
        if (!this.#contained) await endOrphans(id);
        await drained(child, closed);
      }
      for (const rest of flush) rest();
      signal?.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.cause;
      return this.endOf(exit, duration_ms);
    } finally {
      clearTimeout(timer);
      clearTimeout(this.#late);
      signal?.removeEventListener("abort", stop);
      unwatch?.();
    }
  }

  endOf([code, by, error]: Exit, duration_ms: number): ProgramEnd {
    const containedSignal = this.#contained ? signalOf(code) : null;
    return {
      exit_code: containedSignal === null ? code : null,
      signal: containedSignal ?? by,
      timed_out: this.#timedOut,
      overflowed: this.#overflowed,
      duration_ms,
      stdout: this.#streams.stdout.output(),
      stderr: this.#streams.stderr.output(),
      error,
    };
  }

  #stop(child: ChildProcess): void {
    if (this.#over) return;
    endGroup(child.pid);
    this.#late ??= setTimeout(
      () => this.#stuck.resolve([null, null, notEnded(this.#start)]),
      END_MS,
    );
  }

  /**
   * Collects a stream and reports its output. The returned function reports an incomplete character
   * at the end.
   */
  #read(child: ChildProcess, name: Stream): () => void {
    const { onOutput, maxOutput = MAX_OUTPUT } = this.#start;
    const { stdout, stderr } = this.#streams;
    const decoder = new TextDecoder();
    child[name]?.on("data", (chunk: Uint8Array) => {
      this.#streams[name].add(chunk);
      if (!this.#over && stdout.bytes() + stderr.bytes() > maxOutput) {
        this.#overflowed = true;
        this.#stop(child);
      }
      if (onOutput !== undefined) this.#tell(child, name, decoder.decode(chunk, { stream: true }));
    });
    return () => this.#tell(child, name, decoder.decode());
  }

  #tell(child: ChildProcess, name: Stream, text: string): void {
    if (text === "" || this.#failure !== undefined) return;
    try {
      this.#start.onOutput?.(name, text);
    } catch (cause) {
      this.#failure = { cause };
      this.#stop(child);
    }
  }
}

const groups = new Set<number>();

/** Ends a process group. The group, and its number, exist as long as a process is in it. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // No process is left in the group.
  }
}

/** Also ends the group when this process ends. Returns a function that cancels this. */
function watchGroup(pid: number): () => void {
  // Runs before other listeners, one of which may end the process at once.
  if (groups.size === 0) process.prependListener("exit", endAll);
  groups.add(pid);
  return () => {
    groups.delete(pid);
    if (groups.size === 0) process.removeListener("exit", endAll);
  };
}

function endAll(): void {
  for (const pid of groups) endGroup(pid);
}
