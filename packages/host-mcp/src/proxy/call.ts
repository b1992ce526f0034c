import { fileURLToPath } from "node:url";
import {
  isJsonObject,
  omitUndefined,
  type Json,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import { MessageFault, nearKey, RPC } from "./message.ts";
import type { ListedTool } from "./tool-table.ts";

/** The caller and its folders. The person who starts the proxy sets them; messages cannot. */
export interface ProxyPlace {
  /** The name of the server in policies. */
  readonly server: string;
  readonly session: string;
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** Absolute path of the home folder. */
  readonly home: string;
  readonly agent?: string | undefined;
  readonly task?: string | undefined;
  readonly phase?: string | undefined;
}

/** The methods that are judged besides `tools/call`. In policies, each one is a tool. No tool of a server can have such a name. */
const JUDGED: readonly string[] = ["resources/read", "prompts/get"];

/** Whether a policy decides about a method. */
export const isJudged = (method: string): boolean =>
  method === "tools/call" || JUDGED.includes(method);

/** Whether a lenient server may take this name for a judged method. */
export const isLookalike = (method: string): boolean =>
  !isJudged(method) &&
  (isJudged(plainly(method)) || (method !== "tools/list" && plainly(method) === "tools/list"));

const plainly = (method: string): string =>
  method
    .normalize("NFKC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z/]/g, "");

/** The tool call in a request. Throws {@link MessageFault}. */
export function toolCallOf(params: JsonObject, tool: ListedTool, place: ProxyPlace): ToolCall {
  const { annotations, inputSchema } = tool.definition as Partial<JsonObject>;
  const args = objectIn(params, "arguments");
  const properties = isJsonObject(inputSchema) ? inputSchema["properties"] : undefined;
  unambiguous(args, isJsonObject(properties) ? Object.keys(properties) : []);
  return {
    ...subject(tool.name, args, place),
    ...(isJsonObject(annotations) ? { annotations } : {}),
  };
}

/** The tool call that stands for reading a resource or getting a prompt. Throws {@link MessageFault}. */
export function methodCallOf(method: string, params: JsonObject, place: ProxyPlace): ToolCall {
  if (method === "prompts/get") {
    const name = textIn(params, "name");
    return subject(method, { name, arguments: objectIn(params, "arguments") }, place);
  }
  const uri = textIn(params, "uri");
  return subject(method, omitUndefined({ uri, path: pathOf(uri) }) as JsonObject, place);
}

/** The parameters of a judged request. Throws {@link MessageFault} if there are none, or if a key can be read in two ways. */
export function paramsOf(params: Json | undefined): JsonObject {
  if (!isJsonObject(params)) throw new MessageFault(RPC.params, "`params` must be an object");
  unambiguous(params, ["name", "arguments", "uri", "task", "_meta"]);
  return params;
}

/** The text of a parameter. Throws {@link MessageFault}. */
export function textIn(params: JsonObject, key: string): string {
  const value = params[key];
  if (typeof value === "string" && value !== "") return value;
  throw new MessageFault(RPC.params, `\`params.${key}\` must be text`);
}

function objectIn(params: JsonObject, key: string): JsonObject {
  const value = params[key] ?? {};
  if (isJsonObject(value)) return value;
  throw new MessageFault(RPC.params, `\`params.${key}\` must be an object`);
}

function unambiguous(value: JsonObject, known: readonly string[]): void {
  const key = nearKey(value, known);
  if (key !== undefined)
    throw new MessageFault(
      RPC.params,
      `The key \`${key.slice(0, 80)}\` differs from another key only in letter case`,
    );
}

const subject = (tool: string, args: JsonObject, { cwd, ...who }: ProxyPlace): ToolCall => ({
  hook: "beforeToolCall",
  tool,
  args,
  // Its own, because a client may use the id of a request again.
  id: crypto.randomUUID(),
  cwd,
  workspace: cwd,
  host: { name: "mcp" },
  interactive: true,
  ...omitUndefined(who),
});

// The path in a `file:` address, so that rules about paths apply.
function pathOf(uri: string): string | undefined {
  try {
    return /^file:/i.test(uri) ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}
