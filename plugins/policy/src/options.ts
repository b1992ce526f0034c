import type { Kernel } from "@bylaw/kernel";
import { z } from "zod";

const argument = z.string().min(1);
const fileTool = z.strictObject({
  read: z.array(argument).optional().describe("Arguments that name what it reads."),
  write: z.array(argument).optional().describe("Arguments that name what it writes."),
  patches: z
    .array(argument)
    .optional()
    .describe("Arguments that are the text of a patch, which names files that it writes."),
  globs: z.array(argument).optional().describe("Arguments that are globs below the path."),
  cwd: z.boolean().optional().describe("Without a path it works on the working directory."),
});

/** The options of one use of the plugin. */
export const policyOptions = z
  .strictObject({
    files: z
      .array(z.string().min(1))
      .optional()
      .describe(
        "Policy files: absolute, a `file:` URL, or relative to the folder of the configuration. Default: `.bylaw/policy.toml`, unless `text` is given or `discover` is `all`.",
      ),
    discover: z
      .enum(["all", "admin", "none"])
      .default("admin")
      .describe(
        "Which places are searched besides the named files: the admin's, also those of the user, the workspace and the system, or none.",
      ),
    text: z
      .string()
      .optional()
      .describe(
        "A policy in TOML, instead of files or in addition to them. It counts as the operator's.",
      ),
    compiled: z
      .array(z.string().min(1))
      .optional()
      .describe(
        "Compiled forms of files, which a ruleset ships to start faster. One that does not fit its file, or that others can write, is ignored.",
      ),
    operator: z
      .boolean()
      .default(false)
      .describe(
        "The operator vouches for the files: allow rules keep their tier although the files lie in the workspace.",
      ),
    workspace: z
      .string()
      .optional()
      .describe(
        "Absolute folder that agents can write. Default: the folder of the configuration, else the working directory.",
      ),
    tools: z
      .strictObject({
        shell: z
          .record(z.string(), argument)
          .optional()
          .describe("Tools that run a shell line, with the argument that holds it."),
        files: z
          .record(z.string(), fileTool)
          .optional()
          .describe("Tools that touch files, with their path arguments."),
        network: z
          .record(z.string(), argument)
          .optional()
          .describe("Tools that open a URL, with the argument that holds it."),
      })
      .default({})
      .describe("Tools in addition to those that the language knows."),
  })
  .prefault({});

/** The options of one use, with defaults. */
export type PolicyOptions = z.output<typeof policyOptions>;

/** One use of the plugin in a configuration. */
export type PolicyInstance = Kernel["plugins"][number]["instances"][number] & {
  readonly options: PolicyOptions;
};
