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
    experiment: z
      .strictObject({
        name: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "must be small letters, digits and hyphens")
          .describe("Names the experiment in the log. A new name assigns every task anew."),
        files: z
          .array(z.string().min(1))
          .min(1)
          .describe("Version `b`: decides instead of the `files` and `text` of this use."),
        share: z
          .number()
          .min(0)
          .max(1)
          .default(0.5)
          .describe("The share of tasks that get version `b`, from 0 to 1."),
      })
      .optional()
      .describe(
        "Compares these policies with another version of them over live tasks. Each task is assigned once, at random, and keeps its version; without a task the whole run is.",
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
