import { homedir } from "node:os";
import {
  checkArgument,
  createKernel,
  isJsonObject,
  type Config,
  type Kernel,
  type Subject,
} from "@bylaw/kernel";

/** Where tool calls run that do not say so themselves. */
export interface NodeKernelOptions {
  /** Absolute path of the config file. */
  readonly configFile?: string;
  /** Names the configuration in votes. Default: the last part of `configFile`, else `config`. */
  readonly name?: string;
  /** Default: the working directory of this process. */
  readonly cwd?: string;
  /** Default: `cwd` of the call. */
  readonly workspace?: string;
  /** Default: the home folder of the user. */
  readonly home?: string;
}

/**
 * A kernel for tools that run in this process. A tool call that names no `cwd`, `workspace` or `home` gets those of the options, so
 * that it is decided as `bylaw check` decides it. Throws what `createKernel` throws.
 */
export function createNodeKernel(config: Config, options: NodeKernelOptions = {}): Kernel {
  const {
    cwd = process.cwd(),
    workspace,
    home = homedir(),
    ...source
  } = checkArgument("createNodeKernel", "options", options);
  checkArgument("createNodeKernel", "a configuration", config, { code: "BYLAW_CONFIG_INVALID" });
  const kernel = createKernel(config, source);
  const placed = (subject: Subject): Subject => {
    // What is no plain call is the kernel's to refuse.
    if (!isJsonObject(subject) || subject.hook !== "beforeToolCall") return subject;
    const here = subject.cwd ?? cwd;
    const folders = {
      cwd: here,
      workspace: subject.workspace ?? workspace ?? here,
      home: subject.home ?? home,
    };
    // A prepared call has all three, and stays the object that the kernel knows.
    return Object.entries(folders).every(([name, folder]) => subject[name as "cwd"] === folder)
      ? subject
      : { ...subject, ...folders };
  };
  return Object.freeze({
    ...kernel,
    prepare: async (subject) => kernel.prepare(placed(subject)),
    decide: (subject, view, grant) => kernel.decide(placed(subject), view, grant),
    explain: (subject, view) => kernel.explain(placed(subject), view),
  } satisfies Kernel);
}
