import { homedir } from "node:os";
import {
  checkArgument,
  createKernel,
  isJsonObject,
  type Config,
  type Kernel,
  type Subject,
} from "@bylaw/kernel";

/** The defaults for tool calls that do not name their folders. */
export interface NodeKernelOptions {
  /** Absolute path of the config file. */
  readonly configFile?: string;
  /** The name of the configuration in votes. Default: the file name of `configFile`, or `config`. */
  readonly name?: string;
  /** Absolute path. Default: the working directory of this process. */
  readonly cwd?: string;
  /** Absolute path. Default: `cwd` of the call. */
  readonly workspace?: string;
  /** Absolute path. Default: the home folder of the user. */
  readonly home?: string;
}

/**
 * Creates a kernel for tools that run in this process. A tool call without `cwd`, `workspace` or `home` gets those of the options,
 * so that it is decided as `bylaw check` would. Throws the errors of `createKernel`.
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
    // Anything that is not a plain call is left to the kernel, which refuses it.
    if (!isJsonObject(subject) || subject.hook !== "beforeToolCall") return subject;
    const here = subject.cwd ?? cwd;
    const folders = {
      cwd: here,
      workspace: subject.workspace ?? workspace ?? here,
      home: subject.home ?? home,
    };
    // A prepared call already has all three. It stays the same object, because the kernel recognises it by identity.
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
