import { resolve } from "node:path";
import { answerUnjudged, type HostOutput } from "@bylaw/host";
import { BylawError, type Kernel } from "@bylaw/kernel";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { answerHook } from "../hosts/answer-hook.ts";
import { IF_ABSENT_OPTION } from "../hosts/hook-command.ts";
import { hostNamed } from "../hosts/known-hosts.ts";
import { placeHere } from "../hosts/place.ts";
import { readEvent } from "../hosts/read-event.ts";
import { HOST_ARGUMENT } from "../hosts/scope.ts";
import { conclude } from "../io/exit-code.ts";
import { write } from "../io/output.ts";

const OPTIONS = [
  ["--config <file>", "the configuration that decides", { required: true }],
  ["--strict", "ask about calls that no rule covers"],
  IF_ABSENT_OPTION,
  ["--engine <dir>", "the folder of the engine, which the installed hook asks first"],
  ["--wait <seconds>", "how long a question waits for a person", { least: 0 }],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: { ...HOST_ARGUMENT, event: ["the event, where the agent's input does not name it"] },
  options: OPTIONS,
  help: `
It reads the event from standard input and prints the answer in the agent's own shape.
Exit code: 0 answered; 2 the call is blocked, and the reason is on standard error. It is never 1.

Examples:
  $ echo '{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"README.md"},"cwd":"/tmp"}' | bylaw hook claude-code --config bylaw.config.ts
  $ echo '{"hook_event_name":"Stop","session_id":"s1"}' | bylaw hook claude-code --config bylaw.config.ts`,
  run: hook,
};

// Shorter than any host waits for a hook, so that our answer arrives.
const DEADLINE_MS = 10_000;

/** How often a waiting hook checks whether its parent still runs, in milliseconds. */
const PARENT_CHECK_MS = 1_000;

/** Answers one event of a host, read from standard input, in the host's own format. It exits with 0 or 2 and never with 1. */
export async function hook(
  name: string,
  named: string | undefined,
  {
    config: file,
    strict = false,
    engine: folder,
    wait,
    ifAbsent: if_absent,
  }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const parent = process.ppid;
  const host = hostNamed(name);
  const config = resolve(file);
  const engine = folder === undefined ? undefined : resolve(folder);
  const endAfter = (milliseconds: number): NodeJS.Timeout =>
    setTimeout(() => {
      void finish(answerUnjudged(host, tooLong(milliseconds)));
      process.exit();
    }, milliseconds);
  let timer = endAfter(DEADLINE_MS);
  const begin = (): AbortSignal => {
    clearTimeout(timer);
    timer = endAfter(DEADLINE_MS + wait_ms);
    const ended = new AbortController();
    // Measured: Claude Code sends SIGTERM first, and kills about a second later.
    for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      process.once(name, () => ended.abort());
    // A killed host leaves its hook running, and nobody reads the answer.
    setInterval(() => {
      if (process.ppid !== parent) ended.abort();
    }, PARENT_CHECK_MS).unref();
    return ended.signal;
  };
  const wait_ms = (wait ?? 0) * 1_000;
  let output: HostOutput;
  let loading: Promise<Kernel> | undefined;
  try {
    output = await answerHook({
      ...{ setup: { host: name, config, strict, engine, wait, if_absent }, named },
      ...(wait_ms > 0 && { hold: { wait_ms, begin } }),
      input: await readEvent(process.stdin),
      place: placeHere(),
      kernel: () => (loading ??= loadKernelFor({ config })),
    });
  } catch (error) {
    output = answerUnjudged(host, error);
  }
  clearTimeout(timer);
  await finish(output);
  // What a configuration left running must not keep the host waiting.
  process.exit();
}

async function finish({ stdout, stderr, exit }: HostOutput): Promise<void> {
  conclude(exit ?? 2);
  if (stderr !== "") await new Promise((written) => process.stderr.write(stderr, written));
  if (stdout !== "") await write(stdout);
}

const tooLong = (milliseconds: number): BylawError =>
  new BylawError({
    code: "BYLAW_HOST_EVENT_INVALID",
    message: `It took longer than ${milliseconds / 1_000} seconds`,
  });
