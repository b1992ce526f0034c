import { fileURLToPath } from "node:url";
import { placeOf } from "@bylaw/hook-client";
import { fileOf } from "../io/own-packages.ts";

/** What the hook of a host was installed with. */
export interface HookSetup {
  readonly host: string;
  /** Absolute path of the configuration. */
  readonly config: string;
  readonly strict: boolean;
  /** Absolute path of the engine's folder. Default: the one in the home of the user. */
  readonly engine?: string | undefined;
}

/** What a hook starts: a client of the engine in Node, one in the shell, or a process that loads the rules itself. */
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** What a hook may start. The first is the default. */
export const HOOK_CLIENTS = ["node", "curl", "none"] as const;

/** The built command. Absolute. */
export const BIN = fileURLToPath(new URL("./bin.js", import.meta.url));

const clientFile = (path: string): string => fileURLToPath(fileOf("@bylaw/hook-client", path));

/** The path of curl on systems that include it. */
export const CURL = "/usr/bin/curl";

/** The client in Node. Absolute. */
export const CLIENT = clientFile("dist/hook-client.cjs");

/**
 * The shell command of a hook. It names these very programs and files, because a host looks others up along a PATH that an agent can
 * change, and takes from the environment what would load other code first.
 */
export function hookCommand(setup: HookSetup, client: HookClient = "node"): string {
  const { host, config, strict, engine } = setup;
  const node = [process.execPath, ...(client === "none" ? [] : [CLIENT])];
  const shell =
    client === "curl"
      ? [clientFile("src/hook-client.sh"), CURL, placeOf({ bin: BIN, folder: engine }).socket]
      : [];
  return [
    client === "curl" ? "/bin/sh" : "NODE_OPTIONS= NODE_PATH= OPENSSL_CONF=",
    ...[...shell, ...node, BIN].map(quoted),
    `hook ${host} --config ${quoted(config)}`,
    ...(strict ? ["--strict"] : []),
    ...(engine === undefined ? [] : [`--engine ${quoted(engine)}`]),
  ].join(" ");
}

/** Every command that a hook may have been installed with. A hook does not know which of them started it. */
export const hookCommands = (setup: HookSetup): readonly string[] =>
  HOOK_CLIENTS.map((client) => hookCommand(setup, client));

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
