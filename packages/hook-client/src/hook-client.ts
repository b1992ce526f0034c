// Started as `node hook-client.cjs BYLAW hook HOST --config FILE …`. Its answer is that of `node BYLAW hook HOST --config FILE …`.
import { existsSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { askEngine } from "./ask-engine.ts";
import { decideCold } from "./decide-cold.ts";
import { enginePlace } from "./engine-place.ts";
import { NO_OPINION, faultOf } from "./fault.ts";
import { EVENT_LIMIT_BYTES, PASSED_VARIABLES, type HookAnswer } from "./protocol.ts";

// Every host waits for 30 seconds. This leaves time to load a configuration twice in vain.
const DEADLINE_MS = 20_000;
/** How often to check whether the host still runs while a process of its own decides, in milliseconds. */
const PARENT_CHECK_MS = 1_000;

const [bin = "", verb = "", host = "", ...rest] = process.argv.slice(2);
const parent = process.ppid;
// Set while a process of its own decides.
let deciding: AbortController | undefined;

// If the process ends early, the host blocks the call, as far as it can.
process.exitCode = 2;
let deadline = endAfter(DEADLINE_MS);
main().then(end, (error: unknown) => end(faultOf(host, String(error))));

async function main(): Promise<HookAnswer> {
  const input = await readInput();
  if (input === undefined)
    return faultOf(host, `The event has more than ${EVENT_LIMIT_BYTES} bytes`);
  const cold = [bin, verb, host, ...rest];
  const answer = await askFor(input);
  if (answer !== undefined) return answer;
  const { wait, if_absent } = optionsIn(rest);
  // Only if the program is missing. If it fails, the call is denied.
  if (if_absent === "ask" && !existsSync(bin)) return NO_OPINION;
  // The process of its own may wait for a person. It has a deadline for everything else.
  clearTimeout(deadline);
  deadline = endAfter(DEADLINE_MS + wait * 1_000);
  // The other process closes its question and ends once this one is gone.
  setInterval(() => process.ppid === parent || process.exit(), PARENT_CHECK_MS).unref();
  deciding = new AbortController();
  return await decideCold(host, cold, { input, signal: deciding.signal });
}

function endAfter(milliseconds: number): NodeJS.Timeout {
  return setTimeout(() => end(faultOf(host, "It took too long")), milliseconds);
}

async function askFor(input: Uint8Array): Promise<HookAnswer | undefined> {
  const { env } = process;
  // In a step of `bylaw run` the run decides too. Only a process of the step can reach it.
  if (`${env["BYLAW_MCP_URL"] ?? ""}${env["BYLAW_MCP_KEY"] ?? ""}` !== "") return undefined;
  const { config, engine: folder, strict, event, wait, if_absent } = optionsIn(rest);
  if (config === undefined) return undefined;
  const fields: Record<string, string> = { bin, host, config, cwd: process.cwd() };
  fields["home"] = homedir();
  fields["xdg"] = env["XDG_CONFIG_HOME"] ?? "";
  if (strict) fields["strict"] = "1";
  if (wait > 0) fields["wait"] = String(wait);
  if (if_absent !== undefined) fields["if_absent"] = if_absent;
  if (event !== undefined) fields["event"] = event;
  if (folder !== undefined) fields["engine"] = folder;
  for (const name of PASSED_VARIABLES) {
    const value = env[name];
    if (value !== undefined) fields[`env.${name}`] = value;
  }
  // With a small young generation the memory of a request is freed sooner.
  const start = [
    "--max-semi-space-size=2",
    bin,
    "serve",
    "--local",
    ...(folder === undefined ? [] : ["--engine", folder]),
  ];
  try {
    return await askEngine({ host, place: enginePlace({ bin, folder }), fields, input, start });
  } catch {
    // `userInfo` throws if the system does not know this user.
    return undefined;
  }
}

interface Options {
  readonly config?: string;
  readonly engine?: string;
  readonly event?: string;
  readonly strict: boolean;
  /** How many seconds the hook may wait for a person. */
  readonly wait: number;
  /** What to do without a program of Bylaw: `ask` leaves the call to the host. */
  readonly if_absent?: string;
}

const VALUED: ReadonlySet<string> = new Set(["--config", "--engine", "--wait", "--if-absent"]);

function optionsIn(args: readonly string[]): Options {
  const options: Record<string, string> = {};
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (VALUED.has(word)) options[word.slice(2).replace("-", "_")] = args[(at += 1)] ?? "";
    else if (!word.startsWith("-")) options["event"] = word;
  }
  const { wait = "0", ...others } = options;
  return { ...others, strict: args.includes("--strict"), wait: Number.parseInt(wait, 10) || 0 };
}

// Not `fs.read`: its waiting thread would keep the process from ending.
function readInput(): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    process.stdin.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > EVENT_LIMIT_BYTES) resolve(undefined);
      else chunks.push(chunk);
    });
    process.stdin.on("error", reject);
    process.stdin.on("end", () => resolve(Buffer.concat(chunks)));
  });
}

function end({ stdout, stderr, exit }: HookAnswer): void {
  try {
    print(2, stderr);
    print(1, stdout);
    process.exitCode = exit;
  } finally {
    deciding?.abort();
    process.exit();
  }
}

// Written directly, because loading the process's streams takes longer.
function print(stream: number, text: string): void {
  for (let bytes = Buffer.from(text); bytes.length > 0;) {
    try {
      bytes = bytes.subarray(writeSync(stream, bytes));
    } catch (error) {
      // EAGAIN: the reader is slow, so try again.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}
