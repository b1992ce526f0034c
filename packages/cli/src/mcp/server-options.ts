import { homedir } from "node:os";
import { join } from "node:path";
import { ToolPins, type McpServer } from "@bylaw/host-mcp/proxy";
import { quote } from "@bylaw/wording";
import type { OptionSpec, OptionsOf } from "../command-line/command.ts";
import { usageError } from "../io/report-error.ts";

/** The options that describe the proxy's server. */
export const SERVER_OPTIONS = [
  ["--name <server>", "guard an MCP server: its name in policies"],
  ["--url <url>", "the address of a server over Streamable HTTP, instead of a command"],
  ["--bearer <variable>", "the environment variable with the token for --url"],
  ["--env <variable>", "pass this environment variable to the server", { many: true }],
  ["--max-chars <n>", "the longest message (default: 4194304)", { least: 1_024 }],
  ["--listen <port>", "serve clients over Streamable HTTP on this machine", { least: 0 }],
  ["--listen-bearer <variable>", "the environment variable with the token that clients send"],
  ["--accept-tools", "show the tools of the server and accept them as they are now"],
  ["--accepted-only", "withhold every tool that was not accepted"],
] as const satisfies readonly OptionSpec[];
export type ServerOptions = OptionsOf<typeof SERVER_OPTIONS>;

export interface NamedServer {
  readonly name: string;
  readonly server: McpServer;
  readonly limit: number;
  /** The digests of the tools that a person accepted. */
  readonly pins: ToolPins;
  readonly acceptedOnly: boolean;
  /** Where to serve clients, instead of on standard input. */
  readonly listen?: { readonly port: number; readonly token: string } | undefined;
}

// Restricted so that `mcp__NAME__TOOL` can be read in only one way, and each server's pins have their own file.
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?=[A-Za-z0-9-])){0,63}$/;
// The environment variables that a server gets by default, as in the MCP SDK.
const INHERITED = "HOME LOGNAME PATH SHELL TERM USER".split(" ");
const INHERITED_ON_WINDOWS =
  "APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES".split(
    " ",
  );

/** The server that the command line names. Undefined if it names none. Throws BYLAW_USAGE_INVALID. */
export function namedServer(
  command: readonly string[],
  options: ServerOptions,
): NamedServer | undefined {
  const { name, url, maxChars: limit = 4_194_304, acceptedOnly = false } = options;
  if (command.length === 0 && url === undefined) {
    const stray = [
      ...(["name", "bearer", "env", "maxChars", "listen", "listenBearer"] as const),
      ...(["acceptTools", "acceptedOnly"] as const),
    ];
    const given = stray.find((key) => options[key] !== undefined);
    if (given === undefined) return undefined;
    throw usageError(
      "No MCP server was given",
      "Add its command behind `--`, or its address with `--url`",
    );
  }
  if (command.length > 0 && url !== undefined)
    throw usageError("`--url` and a command cannot be given together", "Remove one");
  if (name === undefined)
    throw usageError("`--name <server>` is missing: say what policies call this server");
  if (!NAME.test(name))
    throw usageError(
      `${quote(name)} cannot name a server`,
      "Use up to 64 letters, digits and `-`, with single `_` between them",
    );
  return {
    ...{ name, limit, acceptedOnly },
    server: url === undefined ? programOf(command, options) : addressOf(url, options),
    pins: new ToolPins(join(homedir(), ".bylaw", "mcp", `${name}.json`)),
    listen: listenOf(options),
  };
}

function listenOf({ listen: port, listenBearer, env = [] }: ServerOptions): NamedServer["listen"] {
  if (port === undefined && listenBearer === undefined) return undefined;
  if (port === undefined || listenBearer === undefined)
    throw usageError("`--listen` and `--listen-bearer` must be given together");
  if (port > 65_535) throw usageError("`--listen` must be a port, at most 65535");
  if (env.includes(listenBearer))
    throw usageError("The server must not get the token of its clients", "Remove that `--env`");
  return { port, token: tokenIn(listenBearer, 16) };
}

function tokenIn(variable: string, least = 1): string {
  const token = process.env[variable] ?? "";
  if (!/^[\u0021-\u007e]+$/.test(token))
    throw usageError(`The environment variable ${quote(variable)} holds no token`);
  if (token.length < least)
    throw usageError(`The token in ${quote(variable)} must have at least ${least} characters`);
  return token;
}

function programOf(command: readonly string[], { env = [], bearer }: ServerOptions): McpServer {
  if (bearer !== undefined)
    throw usageError("`--bearer` is for `--url`", "Pass the variable with `--env`");
  const inherited = process.platform === "win32" ? INHERITED_ON_WINDOWS : INHERITED;
  const handed: Record<string, string> = {};
  for (const key of [...inherited, ...env]) {
    const value = process.env[key];
    // An exported shell function is code, so it is not passed on.
    if (value !== undefined && !value.startsWith("()")) handed[key] = value;
    else if (env.includes(key))
      throw usageError(`The environment variable ${quote(key)} is not set`);
  }
  return { command, cwd: process.cwd(), env: handed };
}

function addressOf(text: string, { env = [], bearer }: ServerOptions): McpServer {
  if (env.length > 0) throw usageError("`--env` is for a server that is started");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = ["127.0.0.1", "[::1]", "localhost"].includes(url?.hostname ?? "");
  if (url === undefined || (url.protocol !== "https:" && !(url.protocol === "http:" && local)))
    throw usageError("`--url` must be an https address, or http on this machine");
  if (url.username !== "" || url.password !== "")
    throw usageError("`--url` must not hold a password", "Use `--bearer <variable>`");
  if (bearer === undefined) return { url, headers: {} };
  return { url, headers: { authorization: `Bearer ${tokenIn(bearer)}` } };
}
