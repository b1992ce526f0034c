import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { workspaceOf } from "../files/workspace.ts";
import { limitsOf, type WorkspaceToolsOptions, searched } from "../options.ts";
import { budgetOf } from "./budget.ts";
import { relativeTo } from "./grep.ts";
import { globMatcher } from "./pattern.ts";
import { walk } from "./walk.ts";

export function glob(options: WorkspaceToolsOptions): Tool<CallContext> {
  const limits = limitsOf(options);
  return defineTool({
    name: "glob",
    description: "Finds files by name: `*.md`, `src/**/*.ts`. Skips `.git` and `node_modules`.",
    input: z.object({
      pattern: z.string().min(1).describe("A glob, relative to `path`"),
      path: searched,
      limit: z.int().min(1).max(10_000).default(1_000).describe("The most files to show"),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ pattern, path, limit }, context: CallContext) {
      const workspace = await workspaceOf(context, options);
      const matches = globMatcher(pattern);
      const segments = workspace.segments(path);
      const budget = budgetOf(limits, context.signal);
      const files: string[] = [];
      let remaining = limits.answer;
      const truncated = await walk(workspace, segments, budget, async (place) => {
        budget.spend(0);
        if (!matches(relativeTo(place.path, segments))) return undefined;
        remaining -= place.path.length;
        if (files.length === limit || remaining < 0)
          return files.length === limit ? `found more than ${limit} files` : "found more than fits";
        files.push(place.path);
        return undefined;
      });
      return {
        status: "success",
        pattern,
        path: segments.join("/") || ".",
        files,
        total: files.length,
        truncated: truncated ?? null,
      };
    },
  });
}
