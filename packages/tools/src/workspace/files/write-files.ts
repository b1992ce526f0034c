import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { limitsOf, type WorkspaceToolsOptions, path } from "../options.ts";
import { unfit } from "./refused.ts";
import { readText } from "./text.ts";
import { inTurn } from "./turns.ts";
import { atPlace, workspaceOf, type Place } from "./workspace.ts";
import { writeText } from "./write-text.ts";

export function writeFiles(options: WorkspaceToolsOptions): Tool<CallContext> {
  const { file: limit } = limitsOf(options);
  return defineTool({
    name: "write_files",
    description: "Writes a text file of the workspace, or appends to it. Creates missing folders.",
    input: z.object({
      path: path.describe("The file"),
      content: z.string().refine((text) => text.isWellFormed(), "must be text"),
      mode: z.enum(["w", "a"]).default("w").describe("`w` replaces the content, `a` appends"),
    }),
    annotations: { destructiveHint: true, openWorldHint: false },
    async run({ path: text, content, mode }, context: CallContext) {
      const workspace = await workspaceOf(context, options);
      const segments = workspace.segments(text);
      workspace.mayWrite(segments);
      const write = async (place: Place): Promise<object> => {
        const there = mode === "a" ? await place.folder.kindOf(place.name) : undefined;
        const before = there === undefined ? undefined : await readText(place, limit);
        if (before?.lossy === true) throw unfit(place.path, "is not UTF-8 text");
        const whole = `${before?.text ?? ""}${content}`;
        if (whole.length > limit)
          throw unfit(
            place.path,
            `would have ${whole.length} characters; at most ${limit} are allowed`,
          );
        const { created, parted } = await writeText(
          workspace,
          place,
          whole,
          before === undefined ? {} : { state: before.state },
        );
        const bytes_written = new TextEncoder().encode(content).length;
        return {
          status: "success",
          path: place.path,
          bytes_written,
          mode,
          created,
          ...(parted ? { parted_from_hard_link: true } : {}),
        };
      };
      return inTurn([workspace.real, ...segments].join("/"), () =>
        atPlace(workspace, segments, { make: true }, write),
      );
    },
  });
}
