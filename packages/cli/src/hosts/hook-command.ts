import { fileURLToPath } from "node:url";

/** What the hook of a host was installed with. */
export interface HookSetup {
  readonly host: string;
  /** Absolute path of the configuration. */
  readonly config: string;
  readonly strict: boolean;
}

/** The built command. Absolute. */
export const BIN = fileURLToPath(new URL("./bin.js", import.meta.url));

/**
 * The shell command of a hook. It names this very Node and this very file, because a host looks others up along a PATH that an agent can
 * change, and takes from the environment what would load other code first.
 */
export const hookCommand = ({ host, config, strict }: HookSetup): string =>
  [
    "NODE_OPTIONS= NODE_PATH=",
    quoted(process.execPath),
    quoted(BIN),
    `hook ${host} --config ${quoted(config)}`,
    ...(strict ? ["--strict"] : []),
  ].join(" ");

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
