import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";

/** How much of an output is kept in memory, in bytes; its digest is of all of it. */
const KEPT_OUTPUT = 1_048_576;
// What somebody else holds open after the program has ended is not waited for.
const DRAIN_MS = 2_000;

/** What one stream carried. */
interface Stream {
  readonly digest: string;
  readonly bytes: number;
}

/** How a program ended, or a function. */
export interface Ended {
  readonly ok: boolean;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly timed_out: boolean;
  readonly duration_ms: number;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly error: string | null;
}

export interface CommandStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Is told what it prints, piece by piece. */
  readonly onOutput?: ((name: "stdout" | "stderr", text: string) => void) | undefined;
}

/**
 * Runs a program to its end, without a shell, in a process group of its own that ends with it, its timeout or the signal. A program
 * that cannot be started is an end with an `error`. Throws the reason of an aborted signal.
 */
export async function runCommand(start: CommandStart): Promise<{ readonly ended: Ended; readonly text: string | null }> {
  const { argv, cwd, env, stdin, timeoutMs, signal, onOutput } = start;
  signal?.throwIfAborted();
  const [file = "", ...args] = argv;
  const began = performance.now();
  const [stdout, stderr] = [collect(), collect()];
  const child = spawn(file, args, { cwd, env: { ...env }, detached: true, windowsHide: true, stdio: ["pipe", "pipe", "pipe"] });
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      endGroup(child);
    },
    Math.min(timeoutMs, 2 ** 31 - 1),
  );
  const abort = (): void => endGroup(child);
  signal?.addEventListener("abort", abort, { once: true });
  // Whoever ends this process ends it too. Before others, of whom one may end the process at once.
  process.prependListener("exit", abort);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const listen = (name: "stdout" | "stderr", to: Collected): void =>
    void child[name].on("data", (chunk: Uint8Array) => {
      to.add(chunk);
      onOutput?.(name, decoders[name].decode(chunk, { stream: true }));
    });
  listen("stdout", stdout);
  listen("stderr", stderr);
  // Who does not read its input ends all the same.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  try {
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const [code, by, error] = await new Promise<readonly [number | null, string | null, string | null]>((resolve) => {
      child.once("error", (cause) =>
        resolve([
          null,
          null,
          `Unexpected failure to start \`${file}\` (${(cause as { readonly code?: string }).code ?? "unknown"}), expected a program`,
        ]),
      );
      child.once("exit", (exit, name) => resolve([exit, name, null]));
    });
    const duration_ms = Math.round(performance.now() - began);
    endGroup(child);
    if (error === null) await drained(child, closed);
    signal?.throwIfAborted();
    const ended = {
      exit_code: code,
      signal: by,
      timed_out: timedOut,
      duration_ms,
      stdout: stdout.stream(),
      stderr: stderr.stream(),
      error,
    };
    return { ended: { ok: code === 0 && !timedOut, ...ended }, text: stdout.text() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    process.removeListener("exit", abort);
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
  readonly stream: () => Stream;
  /** All that it carried, or `null` where that is more than is kept. */
  readonly text: () => string | null;
}

function collect(): Collected {
  const chunks: Uint8Array[] = [];
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    add(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes <= KEPT_OUTPUT) chunks.push(chunk);
    },
    stream: () => ({ digest: `sha256:${hash.copy().digest("hex")}`, bytes }),
    text: () => (bytes > KEPT_OUTPUT ? null : new TextDecoder().decode(Buffer.concat(chunks))),
  };
}
