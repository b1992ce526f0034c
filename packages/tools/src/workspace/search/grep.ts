import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { workspaceOf } from "../files/workspace.ts";
import { limitsOf, type WorkspaceToolsOptions, searched } from "../options.ts";
import { budgetOf } from "./budget.ts";
import { eachLine, shownLine } from "./lines.ts";
import { globMatcher, regexMatcher } from "./pattern.ts";
import { walk } from "./walk.ts";

export function grep(options: WorkspaceToolsOptions): Tool<CallContext> {
  const limits = limitsOf(options);
  return defineTool({
    name: "grep",
    description:
      "Finds lines of text files by an RE2 regular expression, without look-around and back-references. Skips `.git` and `node_modules`.",
    input: z.object({
      pattern: z.string().min(1).describe("The regular expression"),
      path: searched,
      glob: z
        .string()
        .min(1)
        .optional()
        .describe("Search only files with such names: `*.ts`, `src/**/*.ts`"),
      ignore_case: z.boolean().default(false),
      limit: z.int().min(1).max(2_000).default(200).describe("The most lines to show"),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ pattern, path, glob, ignore_case: ignoreCase, limit }, context: CallContext) {
      const workspace = await workspaceOf(context, options);
      const { matches, cost } = regexMatcher(pattern, { ignoreCase });
      const segments = workspace.segments(path);
      const named =
        glob === undefined ? undefined : globMatcher(glob.includes("/") ? glob : `**/${glob}`);
      const budget = budgetOf(limits, context.signal);
      const found: { readonly file: string; readonly line: number; readonly content: string }[] =
        [];
      const skipped = { count: 0 };
      let remaining = limits.answer;
      const truncated = await walk(workspace, segments, budget, async (place) => {
        if (named !== undefined && !named(relativeTo(place.path, segments))) return undefined;
        return eachLine(place, limits, budget, { skipped, cost }, (line, number) => {
          if (!matches(line)) return undefined;
          const content = shownLine(line);
          remaining -= content.length + place.path.length;
          if (found.length === limit || remaining < 0)
            return found.length === limit
              ? `found more than ${limit} lines`
              : "found more than fits";
          found.push({ file: place.path, line: number, content });
          return undefined;
        });
      });
      const rest = { truncated: truncated ?? null, skipped_files: skipped.count };
      return {
        status: "success",
        pattern,
        path: segments.join("/") || ".",
        matches: found,
        total: found.length,
        ...rest,
      };
    },
  });
}

/** A path relative to the folder that is searched. */
export const relativeTo = (path: string, segments: readonly string[]): string => {
  const from = segments.join("/");
  return from !== "" && path.startsWith(`${from}/`) ? path.slice(from.length + 1) : path;
};
