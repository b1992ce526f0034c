import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { inFolder, workspaceOf } from "../files/workspace.ts";
import { type WorkspaceToolsOptions, path } from "../options.ts";
import { answerOf, start } from "./start.ts";

const TIMEOUT = 30;
const MAX_TIMEOUT = 600;
const SHELLS = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/**
 * Runs a shell line. The run has decided whether the agent may run it. What the line can do is limited only by containment and by the
 * rights of its user.
 */
export function bash(options: WorkspaceToolsOptions): Tool<CallContext> {
  const longest = options.programs?.maxTimeout ?? MAX_TIMEOUT;
  return defineTool({
    name: "bash",
    description:
      "Runs a line in bash, without input and in an environment without secrets. Programs that it starts end with it.",
    input: z.object({
      command: z
        .string()
        .min(1)
        .max(100_000)
        .refine(
          (line) => !line.includes("\0") && line.isWellFormed(),
          "must be text without a zero byte",
        )
        .describe("The line"),
      timeout: z
        .number()
        .positive()
        .max(longest)
        .default(Math.min(TIMEOUT, longest))
        .describe("Seconds"),
      cwd: path.default(".").describe("The folder to run it in"),
    }),
    annotations: { destructiveHint: true, openWorldHint: true },
    async run({ command, timeout, cwd }, context: CallContext) {
      const workspace = await workspaceOf(context, options);
      const segments = workspace.segments(cwd);
      workspace.mayRead(segments);
      // Refused if a link is on the path.
      await inFolder(workspace.real, segments, {}, async () => {});
      const shell = SHELLS.find((file) => existsSync(file)) ?? "/bin/sh";
      const flags = shell.endsWith("bash") ? ["--noprofile", "--norc"] : [];
      const line = {
        argv: [shell, ...flags, "-c", command],
        cwd: join(workspace.real, ...segments),
        timeoutMs: timeout * 1_000,
      };
      return { ...answerOf(await start(line, workspace.real, options, context)), command };
    },
  });
}
