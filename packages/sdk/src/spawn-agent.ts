import { spawn } from "node:child_process";
import { claimTask, type ClaimOptions } from "./claim.ts";
import { VARIABLES } from "./client-options.ts";
import { RequestInvalid } from "./errors.ts";
import { isServiceSecret } from "./service-secret.ts";
import type { AskOptions } from "./session.ts";
import { Transport, credentialOf, type TransportOptions } from "./transport.ts";
import type { Claim } from "./types.ts";

/** How an agent is started. */
export interface SpawnOptions extends TransportOptions, Omit<ClaimOptions, keyof AskOptions> {
  /** The name of the agent. */
  readonly agent_id: string;
  /** The secret with which a task is claimed for the agent. The agent itself gets only the token of its task. */
  readonly enrol_secret: string;
  /** The file with the workflow contract, for the agent to read: BYLAW_CONTRACT. */
  readonly contract?: string;
  /** The working directory of the agent. Default: that of this process. */
  readonly cwd?: string;
  /** Additional environment variables. Of this process's own, the agent gets only what any program needs: paths, language, time zone. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the agent, like `stop`. */
  readonly signal?: AbortSignal;
  /** What to do with its output. Default: `inherit`, which shows it. */
  readonly output?: "inherit" | "ignore";
}

/** How an agent ended: by itself with an exit code, or by a signal. */
export interface AgentEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A started agent, with the task that was claimed for it. */
export interface SpawnedAgent {
  readonly claim: Claim;
  readonly pid: number;
  /** Resolves when the agent has ended. Never rejects. */
  readonly ended: Promise<AgentEnd>;
  /** Ends the agent with everything it has started: asks first, and kills after `grace_ms` (default 5,000). */
  stop(options?: { readonly grace_ms?: number }): Promise<AgentEnd>;
}

const NEEDED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA)$/i;
/**
 * Claims a task and starts a program as the agent for it. The program runs without a shell. Its environment has BYLAW_ENDPOINT,
 * BYLAW_AGENT_ID, BYLAW_TASK_ID, BYLAW_PHASE_TOKEN and, if given, BYLAW_CONTRACT, which `AgentClient.fromEnvironment` reads. BYLAW_PROMPT
 * describes in prose what the phase allows and requires. The agent ends when `signal` is aborted. Throws NoTaskReady and other errors of a
 * claim, and RequestInvalid if the program cannot be started.
 */
export async function spawnAgent(
  command: readonly [program: string, ...args: string[]],
  options: SpawnOptions,
): Promise<SpawnedAgent> {
  const { agent_id, enrol_secret, cwd, output = "inherit", signal } = options;
  const secret = credentialOf(enrol_secret, "enrolment secret");
  refuseSecrets(options.env ?? {});
  const transport = new Transport(options);
  const { phase_token, ...claim } = await claimTask(
    transport,
    { agent_id, authorization: () => `Bylaw-Enrol ${secret}` },
    { ...options, timeout_ms: undefined },
  );
  const [program, ...args] = command;
  const child = spawn(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: environmentOf(options, claim, phase_token),
    stdio: ["ignore", output, output],
    // A group of its own, so that everything it has started ends with it.
    detached: HAS_GROUPS,
  });
  const ended = new Promise<AgentEnd>((resolve) => {
    child.once("exit", (code, by) => resolve({ code, signal: by }));
    child.once("error", () => resolve({ code: null, signal: null }));
  });
  const { pid } = child;
  if (pid === undefined) {
    await ended;
    await giveBack(transport, claim.task.id, phase_token);
    throw new RequestInvalid({ code: "request_invalid", message: `Cannot start \`${program}\`` });
  }
  const stop = stopperOf(pid, ended);
  const abort = (): void => void stop();
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  void ended.then(() => signal?.removeEventListener("abort", abort));
  return { claim, pid, ended, stop };
}

const HAS_GROUPS = process.platform !== "win32";

function refuseSecrets(env: Readonly<Record<string, string>>): void {
  const leaked = Object.keys(env).find(isServiceSecret);
  if (leaked === undefined) return;
  throw new RequestInvalid({
    code: "request_invalid",
    message: `\`env\` holds ${leaked}, a secret of the service`,
    fix: "Remove it; with it the agent could act as anyone",
  });
}

const environmentOf = (
  { endpoint, agent_id, contract, env = {} }: SpawnOptions,
  { task, prompt }: Claim,
  phase_token: string,
): Readonly<Record<string, string | undefined>> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NEEDED.test(name))),
  ...env,
  [VARIABLES.endpoint]: String(endpoint),
  [VARIABLES.agent_id]: agent_id,
  [VARIABLES.task_id]: task.id,
  [VARIABLES.phase_token]: phase_token,
  BYLAW_PROMPT: prompt,
  ...(contract === undefined ? {} : { BYLAW_CONTRACT: contract }),
});

/** Makes the task available at once instead of at the end of its lease. */
async function giveBack(transport: Transport, task_id: string, token: string): Promise<void> {
  const body = { task_id, reason: "the agent could not be started" };
  const request = { method: "POST", path: "/tasks/release", body } as const;
  await transport
    .ask({ ...request, authorization: () => `Bearer ${token}` })
    .catch(() => undefined);
}

function stopperOf(pid: number, ended: Promise<AgentEnd>): SpawnedAgent["stop"] {
  const kill = (by: "SIGTERM" | "SIGKILL"): void => {
    try {
      process.kill(HAS_GROUPS ? -pid : pid, by);
    } catch {
      // The process has ended already.
    }
  };
  return async ({ grace_ms = 5_000 } = {}) => {
    kill("SIGTERM");
    const timer = setTimeout(kill, grace_ms, "SIGKILL");
    const end = await ended;
    clearTimeout(timer);
    // Whatever it has left in its group must end too.
    kill("SIGKILL");
    return end;
  };
}
