import { join } from "node:path";
import type { HostOutput } from "@bylaw/host";
import { claudeCode } from "@bylaw/host-claude-code";
import { openSqliteReader } from "@bylaw/store-sqlite";
import { BIN, type Ran } from "./bylaw.ts";
import { engineDesk, run, type EngineDesk } from "./engine-kit.ts";
import { eventsOf as eventsIn } from "./orchestrator-walk.ts";

const RULES = `
[[marks]]
name = "read-a-secret"
paths = { read = ["**/.env"] }

[[marks]]
name = "edited"
paths = { write = ["**"] }

[[marks]]
name = "tests-passed"
command = "npm test"
outcome = "passed"
cleared_by = "edited"

[[rules]]
name = "no-network-after-a-secret"
action = "deny"
effects = ["network"]
after = "read-a-secret"

[[rules]]
name = "commit-needs-tests"
action = "deny"
command = "git commit *"
unless_after = "tests-passed"

[[rules]]
name = "tests"
action = "allow"
command = "npm test"

[[rules]]
name = "publishing"
action = "ask_user"
command = "npm publish *"
`;

export interface Call {
  readonly session?: string;
  readonly id?: string;
  readonly agent?: string;
}

/** Calls one hook of a host: through the engine, or in a separate process. */
export type Ask = (event: object, name?: string) => Promise<Ran>;

let made = 0;

export interface SessionDesk {
  readonly desk: EngineDesk;
  readonly call: ReturnType<typeof eventOf>;
  readonly engine: Ask;
  readonly cold: Ask;
}

/** A configuration that looks back on the session. */
export function deskOf(
  host = "claude-code",
  files: Readonly<Record<string, string>> = { "rules.toml": RULES },
): SessionDesk {
  const desk = engineDesk(files);
  const args = ["hook", host, "--config", join(desk.root, "bylaw.config.json")];
  const { root: cwd } = desk;
  const options = (event: object) => ({ cwd, input: JSON.stringify(event), env: process.env });
  return {
    ...{ desk, call: eventOf(cwd) },
    engine: (event, name) => desk.hook(event, { host, ...(name && { args: [name] }) }),
    cold: (event, name) => run([BIN, ...args, ...(name ? [name] : [])], options(event)),
  };
}

const eventOf =
  (cwd: string) =>
  (
    [tool_name, tool_input]: readonly [string, object],
    { session = "s1", id = `toolu_${(made += 1)}`, agent }: Call = {},
  ): object => ({
    ...{ hook_event_name: "PreToolUse", session_id: session, cwd, tool_name, tool_input },
    ...{ tool_use_id: id, ...(agent === undefined ? {} : { agent_id: agent }) },
  });
export const bash = (command: string) => ["Bash", { command }] as const;
export const SECRET = ["Read", { file_path: ".env" }] as const;
export const NETWORK = bash("curl https://example.com");

/** The events of a session's run. */
export const eventsOf = async ({ root }: EngineDesk, run = "claude-code-s1") =>
  eventsIn(await openSqliteReader(join(root, ".bylaw/store.db")), run);

export const outputOf = ({ code, ...texts }: Ran): HostOutput => ({ ...texts, exit: code });
export const blocks = (ran: Ran): boolean => claudeCode.blocks(outputOf(ran));
