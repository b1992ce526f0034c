import { isAbsolute } from "node:path";
import {
  BylawError,
  isJsonObject,
  omitUndefined,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";

/** The fields of a call, as a host reports them. */
export interface CallFields {
  readonly host: string;
  readonly tool: unknown;
  readonly args: unknown;
  readonly id?: unknown;
  readonly session?: unknown;
  readonly agent?: unknown;
  readonly cwd: unknown;
  /** Absolute path. Default: `cwd`. */
  readonly workspace?: string | undefined;
  readonly home: string;
  readonly server?: unknown;
}

/** The text under a key. Undefined if there is none. */
export function stringField(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Parses the output of a hook as a JSON object. Returns an empty object for anything else. */
export function hookOutputJson(stdout: string): JsonObject {
  try {
    const value: unknown = JSON.parse(stdout);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Wraps a hook's shell command for a host that blocks on exit code 2 only if there is a text. It also blocks if Bylaw ends without
 * an answer.
 */
export const blockingCommand = (command: string): string =>
  `${command} || { [ $? = 2 ] || echo 'Bylaw did not answer.' >&2; exit 2; }`;

/** Wraps a hook's shell command for events that run nothing, so that its failure holds nobody up. */
export const unheededCommand = (command: string): string => `${command} || true`;

/** Reads a tool call. Throws BYLAW_HOST_EVENT_INVALID if it is not one. The kernel checks the other fields. */
export function callFromFields(fields: CallFields): Omit<ToolCall, "hook"> {
  const { host, tool, args, id, session, agent, cwd, workspace, home, server } = fields;
  if (typeof tool !== "string" || tool === "") throw invalid("The call does not name a tool");
  if (typeof args !== "object" || args === null || Array.isArray(args))
    throw invalid(`The arguments of \`${tool}\` are not an object`);
  if (typeof cwd !== "string" || !isAbsolute(cwd))
    throw invalid("The call does not name an absolute working folder");
  const named = (value: unknown): string | undefined =>
    typeof value === "string" && value !== "" ? value : undefined;
  return {
    tool,
    args: args as JsonObject,
    cwd,
    workspace: workspace !== undefined && isAbsolute(workspace) ? workspace : cwd,
    home,
    host: { name: host },
    interactive: true,
    ...omitUndefined({
      id: named(id),
      session: named(session),
      agent: named(agent),
      server: named(server) ?? serverOf(tool),
    }),
  };
}

// The server in `mcp__server__tool`. Undefined if the name can be read in two ways, so that no allow rule for a server matches it.
function serverOf(tool: string): string | undefined {
  const [prefix, server, name, ...more] = tool.split("__");
  const plain = prefix === "mcp" && name !== undefined && name !== "" && more.length === 0;
  return plain ? server : undefined;
}

const invalid = (message: string): BylawError =>
  new BylawError({ code: "BYLAW_HOST_EVENT_INVALID", message });
