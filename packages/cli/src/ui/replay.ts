import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import {
  summaryOf,
  type ComparedReplay,
  type ReplayedChange,
  type ReplaySeen,
} from "@bylaw/dashboard";
import { BylawError, isJsonObject, omitUndefined } from "@bylaw/kernel";
import type { StorePlace } from "../log/open-store.ts";
import type { Recorded } from "../replay/recorded-call.ts";
import type { Flip } from "../replay/replay-report.ts";

/** What to compare in the page. */
interface ReplayerOptions {
  readonly a: string;
  readonly b: string;
  readonly store: StorePlace;
  /** The values of `--run` and `--since`. */
  readonly run?: string;
  readonly since?: string;
}

/** One line of `bylaw experiment replay --json`. */
interface Line extends Partial<ComparedReplay> {
  readonly run?: string;
  readonly flip?: Flip;
  readonly error?: { readonly code: string; readonly message: string; readonly fix?: string };
  readonly findings?: readonly unknown[];
}

/** How many decisions that change are kept. The command lists all. */
const KEPT = 200;

/** A run of `bylaw experiment replay`. It is another process, because a configuration runs code, and an operator signs in to this one. */
export class UiReplay {
  readonly #options: ReplayerOptions;
  readonly #begun = new Date().toISOString();
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #changes: ReplayedChange[] = [];
  #compared: ComparedReplay | null = null;
  #error: BylawError | undefined;

  constructor(options: ReplayerOptions) {
    this.#options = options;
    const { a, b, store, run, since } = options;
    const place = store.engine === "sqlite" ? `sqlite:${store.target}` : store.target;
    const args = [`--a=${a}`, `--b=${b}`, `--store=${place}`, "--json"];
    if (run !== undefined) args.push(`--run=${run}`);
    if (since !== undefined) args.push(`--since=${since}`);
    const command = [process.argv[1] ?? "", "experiment", "replay", ...args];
    const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    this.#child = child;
    child.once("error", (cause) => (this.#error ??= failure(cause)));
    this.#ended = this.#read(child.stdout);
  }

  /** Resolves when both versions are loaded. Throws what loading them throws. */
  async loaded(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#child.once("message", () => resolve());
    await Promise.race([promise, this.#ended]);
    if (this.#error !== undefined) throw this.#error;
  }

  seen(): ReplaySeen {
    const { a, b, run = null, since = null } = this.#options;
    const { message = null } = this.#error ?? {};
    const state = { changes: this.#changes, error: message, compared: this.#compared };
    return { a, b, run, since, begun: this.#begun, ...state };
  }

  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async #read(output: Readable | null): Promise<void> {
    try {
      if (output !== null)
        for await (const text of createInterface({ input: output }))
          this.#add(JSON.parse(text) as Line);
    } catch (cause) {
      this.#error ??= failure(cause);
    }
    if (this.#compared === null) this.#error ??= failure();
  }

  #add({ run, flip, runs, summary, figures, error, findings }: Line): void {
    if (run !== undefined && flip !== undefined && this.#changes.length < KEPT)
      this.#changes.push(changeOf(run, flip));
    else if (runs !== undefined && summary !== undefined && figures !== undefined)
      this.#compared = { runs, summary, figures };
    else if (error !== undefined) this.#error = reported(error, findings);
  }
}

const changeOf = (run: string, { sequence, tool, args, recorded, candidate }: Flip) => ({
  ...{ run, sequence: Number(sequence), tool },
  summary: summaryOf(isJsonObject(args) ? { args } : {}),
  ...{ a: sideOf(recorded), b: sideOf(candidate) },
});

const sideOf = ({ effect, rule, code = "" }: Recorded): ReplayedChange["a"] => ({
  ...{ effect, by: rule?.name ?? code },
});

/** The error that the other process printed. */
function reported(
  { code, message, fix, ...place }: NonNullable<Line["error"]>,
  findings: Line["findings"],
): BylawError {
  const source = "file" in place ? (place as BylawError["source"]) : undefined;
  const error = new BylawError({
    ...{ code: code as BylawError["code"], message },
    ...omitUndefined({ fix, source }),
  });
  return Object.assign(error, omitUndefined({ findings }));
}

const failure = (cause?: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_COMMAND_FAILED",
    message: "The replay ended before it was done",
    fix: "Run `bylaw experiment replay` with the same versions, which says why",
    ...omitUndefined({ cause }),
  });
