import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { temporaryFolder } from "@bylaw/testing";
import { expect, onTestFinished } from "vitest";

/** The built command. */
export const BIN = join(
  dirname(createRequire(import.meta.url).resolve("@bylaw/cli/package.json")),
  "dist/bin.js",
);

// A line of a stack trace.
const TRACE = /^\s+at .*[:(]/m;

/** The outcome of a run of the command. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
  /** An open file descriptor to use as standard input, instead of `input`. */
  readonly stdin?: number;
}

/** Splits a command line at blanks; an array is taken as it is. */
const wordsOf = (args: string | readonly string[]): readonly string[] =>
  typeof args === "string" ? args.split(" ") : args;

/** Runs the built command in a real process, and checks what holds for every run: no stack trace reaches a user. */
export function bylaw(
  args: string | readonly string[],
  { cwd, input = "", env = {}, node = [], stdin }: RunOptions,
): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...node, BIN, ...wordsOf(args)], {
    cwd,
    ...(stdin === undefined ? { input } : { stdio: [stdin, "pipe", "pipe"] }),
    env: { ...process.env, ...env },
    encoding: "utf8",
    // A command that never ends is killed, and then has no exit code.
    timeout: 60_000,
    maxBuffer: 512 * 1024 * 1024,
  });
  expect(`${stdout}\n${stderr}`).not.toMatch(TRACE);
  return { code: status, stdout, stderr };
}

/**
 * Runs the built command in this process, whose modules are loaded once, with the same result as a separate process. Tests about
 * exits, signals, or what a configuration may do to a process need {@link bylaw}.
 */
export async function bylawHere(
  args: string | readonly string[],
  { cwd, input = "", env = {} }: Omit<RunOptions, "node" | "stdin">,
): Promise<Ran> {
  const { main } = command();
  const before = { argv: process.argv, cwd: process.cwd(), env: { ...process.env } };
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
  const listeners = new Map(EVENTS.map((event) => [event, process.listeners(event as "exit")]));
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  process.argv = [process.execPath, BIN, ...wordsOf(args)];
  Object.defineProperty(process, "stdin", {
    ...stdin,
    get: () => Readable.from([Buffer.from(input as string)]),
  });
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.exitCode = undefined;
  try {
    await main(wordsOf(args));
    const ran = { code: Number(process.exitCode), stdout: stdout.text(), stderr: stderr.text() };
    expect(`${ran.stdout}\n${ran.stderr}`).not.toMatch(TRACE);
    return ran;
  } finally {
    stdout.restore();
    stderr.restore();
    Object.defineProperty(process, "stdin", stdin);
    for (const [event, known] of listeners)
      for (const listener of process.listeners(event as "exit"))
        if (!known.includes(listener)) process.off(event, listener);
    process.argv = before.argv;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    process.chdir(before.cwd);
    process.exitCode = undefined;
  }
}

const EVENTS = ["exit", "uncaughtException", "unhandledRejection", "SIGINT", "SIGTERM", "SIGHUP"];

/** The entry of the built command, whose exported names the bundler chose. */
function command(): { readonly main: (argv: readonly string[]) => Promise<void> } {
  // Required, because the test runner transforms what is imported here.
  const { loadScript } = createRequire(BIN)("./load-script.js") as {
    readonly loadScript: (name: string) => Record<string, object>;
  };
  const found = Object.values(loadScript("check")).find((part) => "main" in Object(part));
  if (found === undefined) throw new Error(`\`${BIN}\` has no \`main\``);
  return found as ReturnType<typeof command>;
}

/** Captures what is written to a stream. */
function capture(stream: NodeJS.WriteStream): {
  readonly text: () => string;
  readonly restore: () => void;
} {
  const own = Object.getOwnPropertyDescriptor(stream, "write");
  const chunks: Buffer[] = [];
  const take = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    chunks.push(Buffer.from(chunk as string));
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
  stream.write = take as typeof stream.write;
  const known = stream.listeners("error");
  return {
    text: () => Buffer.concat(chunks).toString(),
    restore: () => {
      if (own === undefined) Reflect.deleteProperty(stream, "write");
      else Object.defineProperty(stream, "write", own);
      for (const listener of stream.listeners("error"))
        if (!known.includes(listener)) stream.off("error", listener as () => void);
    },
  };
}

/** Starts the built command and leaves it running until the test ends. */
export function start(args: string | readonly string[], cwd: string): ChildProcess {
  const child = spawn(process.execPath, [BIN, ...wordsOf(args)], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill());
  return child;
}

/** The single JSON value that a run printed. */
export function json(ran: Ran): Record<string, unknown> {
  const [line = "", ...more] = ran.stdout.trimEnd().split("\n");
  expect(more).toEqual([]);
  return JSON.parse(line) as Record<string, unknown>;
}

/** The JSON values that a run printed, one per line. */
export function jsonLines(ran: Ran): readonly Record<string, unknown>[] {
  return ran.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A temporary folder with these files, removed after the test. */
export function scratch(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = temporaryFolder();
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  return root;
}

/** A temporary folder with these files, and the command in it. */
export function workplace(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const cwd = scratch(files);
  const run = (
    args: string | readonly string[],
    options: Omit<RunOptions, "cwd" | "node" | "stdin"> = {},
  ): Promise<Ran> => bylawHere(args, { cwd, ...options });
  return { cwd, run };
}

/** Makes a named pipe. */
export function makePipe(path: string): void {
  expect(spawnSync("sh", ["-c", 'mkfifo "$0"', path]).status).toBe(0);
}

/** A policy with one rule for each action. */
export const POLICY = `default = "ask_user"

[[rules]]
name = "read"
action = "allow"
tool = "read_file"
reason = "Reading changes nothing"

[[rules]]
name = "no-drop"
action = "deny"
tool = "drop_*"
reason = "Unexpected drop, expected a migration"
fix = "write a migration"

[[rules]]
name = "ask-mail"
action = "ask_user"
tool = "send_mail"
reason = "Mail leaves the machine"
`;
