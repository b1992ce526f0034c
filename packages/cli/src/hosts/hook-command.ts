import { fileURLToPath } from "node:url";
import { enginePlace } from "@bylaw/hook-client";
import { fileOf } from "../io/own-packages.ts";

/** The settings with which a hook was installed. */
export interface HookSetup {
  readonly host: string;
  /** Absolute path of the configuration. */
  readonly config: string;
  readonly strict: boolean;
  /** Whether a call goes on as without Bylaw if Bylaw's program is missing: `ask`. Default: it is denied. */
  readonly if_absent?: string | undefined;
  /** How many seconds a question may wait for a person. Default: it is left to the host at once. */
  readonly wait?: number | undefined;
  /** Absolute path of the engine's folder. Default: the one in the user's home. */
  readonly engine?: string | undefined;
}

/** The program that a hook starts: a client of the engine in Node or in the shell, or a process that loads the rules itself. */
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** The programs that a hook may start. The first is the default. */
export const HOOK_CLIENTS = ["node", "curl", "none"] as const;

/** The option for a hook whose program is missing. Its answer is in the command itself, because nothing else can be read then. */
export const IF_ABSENT_OPTION = [
  "--if-absent <answer>",
  "if the program of Bylaw is missing: ask leaves calls to the agent's own permissions, deny blocks them (default: deny)",
  { words: ["deny", "ask"] },
] as const;

/** Absolute path of the built command. */
export const BIN = fileURLToPath(new URL("./bin.js", import.meta.url));

const clientFile = (path: string): string => fileURLToPath(fileOf("@bylaw/hook-client", path));

/** The path of curl on systems that include it. */
export const CURL = "/usr/bin/curl";

/** Absolute path of the client in Node. */
export const CLIENT = clientFile("dist/hook-client.cjs");

/**
 * The shell command of a hook. It names programs and files by absolute path, because an agent can change the PATH. It also clears
 * the environment variables that would load other code first.
 */
export function hookCommand(setup: HookSetup, client: HookClient = "node"): string {
  const { host, config, strict, engine, wait, if_absent } = setup;
  const node = [process.execPath, ...(client === "none" ? [] : [CLIENT])];
  const shell =
    client === "curl"
      ? [clientFile("src/hook-client.sh"), CURL, enginePlace({ bin: BIN, folder: engine }).socket]
      : [];
  const leaves = if_absent === "ask";
  const files = [...shell.slice(0, 1), ...node, ...(client === "none" ? [BIN] : [])];
  return [
    ...(leaves ? [`${files.map(isFile).join(" && ")} || ${LEAVE};`] : []),
    client === "curl" ? "/bin/sh" : `${CLEARED.join("= ")}=`,
    ...[...shell, ...node, BIN].map(quoted),
    `hook ${host} --config ${quoted(config)}`,
    ...(strict ? ["--strict"] : []),
    ...(leaves ? ["--if-absent ask"] : []),
    ...(engine === undefined ? [] : [`--engine ${quoted(engine)}`]),
    // Last, where the entries of the host find it.
    ...(wait === undefined ? [] : [`--wait ${wait}`]),
  ].join(" ");
}

// Variables that load code into Node, or let others read what a hook sends to webhooks.
const CLEARED = [
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_COMPILE_CACHE", "OPENSSL_CONF"],
  ...["NODE_USE_ENV_PROXY", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_EXTRA_CA_CERTS"],
  ...["NODE_USE_SYSTEM_CA", "NODE_DEBUG", "NODE_DEBUG_NATIVE"],
];

// No opinion, in the shapes of all hosts. It reads the event first, because a host may fail if nobody reads it.
const LEAVE = "{ cat >/dev/null; printf '{}'; exit 0; }";

const isFile = (file: string): string => `[ -f ${quoted(file)} ]`;

/** Every command that a hook may have been installed with. A hook does not know which of them started it. */
export const hookCommands = (setup: HookSetup): readonly string[] =>
  HOOK_CLIENTS.map((client) => hookCommand(setup, client));

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The value of an option in a command that {@link hookCommand} wrote. */
export const optionIn = (command: string, name: "config" | "engine"): string | undefined =>
  new RegExp(` --${name} '((?:[^']|'\\\\'')*)'`).exec(command)?.[1]?.replaceAll("'\\''", "'");
