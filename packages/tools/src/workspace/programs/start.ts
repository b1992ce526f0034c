import { resolve } from "node:path";
import { BylawError } from "@bylaw/kernel";
import {
  canContain,
  isRoot,
  containmentObstacle,
  programEnvironment,
  runProgram,
  type Containment,
  type Limits,
  type ProgramEnd,
} from "@bylaw/process";
import type { CallContext } from "../../tool.ts";
import type { WorkspaceToolsOptions } from "../options.ts";

/** The program to start for an agent. */
export interface Start {
  readonly argv: readonly string[];
  /** Absolute path, in the workspace. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly stdin?: string;
  readonly set?: Readonly<Record<string, string>>;
}

const LIMITS: Limits = { memory: 4 * 1024 ** 3, file: 1024 ** 3, processes: 4_096 };
const MAX_OUTPUT = 64 * 1024 ** 2;
// The bytes to keep of the beginning and of the end of each stream. A failure is usually in one of them.
const KEPT = { first: 16_384, last: 16_384 };

/**
 * Runs a program without secrets of this process in its environment, within limits. It and everything that it started have ended when this
 * returns. Throws BYLAW_PROGRAM_FAILED if it cannot be started, and the reason of an aborted signal.
 */
export async function start(
  { argv, cwd, timeoutMs, stdin, set = {} }: Start,
  workspace: string,
  options: WorkspaceToolsOptions,
  context: CallContext,
): Promise<ProgramEnd> {
  const { hidden = [], protect = [] } = options;
  const {
    env = [],
    maxOutput = MAX_OUTPUT,
    limits = LIMITS,
    contain = "possible",
    allowRoot = false,
    wrap,
  } = options.programs ?? {};
  const uncontained = contain === "never" || wrap !== undefined;
  if (wrap === undefined && !allowRoot && isRoot()) mustNotBeRoot(workspace, contain);
  const end = await runProgram({
    argv: wrap === undefined ? argv : wrap(argv, context),
    cwd,
    env: programEnvironment({ workspace, names: env, set: { NO_COLOR: "1", ...set } }),
    timeoutMs,
    maxOutput,
    keep: { stdout: KEPT, stderr: KEPT },
    stdin,
    limits,
    contain: uncontained
      ? undefined
      : containmentOf(workspace, { contain, allowRoot, hidden, protect }),
    signal: context.signal,
  });
  if (end.error !== null) throw failed(end.error);
  return end;
}

interface StartOptions {
  readonly contain: string;
  readonly allowRoot: boolean;
  readonly hidden: readonly string[];
  readonly protect: readonly string[];
}

// Decided by the workspace and not by the folder that the agent names, because an agent could name one without containment.
function containmentOf(
  workspace: string,
  { contain, allowRoot, hidden, protect }: StartOptions,
): Containment {
  const at = (paths: readonly string[]): readonly string[] =>
    paths.map((path) => resolve(workspace, path));
  const required = contain === "always" || canContain(workspace, { allowRoot });
  return { hide: at(hidden), protect: at(protect), within: workspace, required, allowRoot };
}

function mustNotBeRoot(workspace: string, contain: string): void {
  if (contain === "never")
    throw failed("Programs of agents do not run as root", "Contain them, or set `allowRoot`");
  const obstacle = containmentObstacle(workspace);
  if (obstacle !== undefined) throw failed(obstacle.reason, obstacle.fix);
}

const failed = (message: string, fix?: string): BylawError =>
  new BylawError({ code: "BYLAW_PROGRAM_FAILED", message, fix });

/** The answer of a tool about how a program ended. */
export const answerOf = ({
  exit_code,
  signal,
  timed_out,
  overflowed,
  stdout,
  stderr,
  duration_ms,
}: ProgramEnd): Record<string, unknown> => ({
  status: timed_out ? "timed_out" : overflowed ? "overflowed" : "completed",
  exit_code,
  signal,
  stdout: stdout.text,
  stderr: stderr.text,
  truncated: stdout.cut || stderr.cut,
  duration_ms,
});
