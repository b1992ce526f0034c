import { BylawError } from "@bylaw/kernel";
import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { limitsOf, type WorkspaceToolsOptions, path } from "../options.ts";
import { unfit } from "./refused.ts";
import { readText } from "./text.ts";
import { inTurn } from "./turns.ts";
import { atPlace, workspaceOf, type Place } from "./workspace.ts";
import { writeText } from "./write-text.ts";

const MAX_TIMES = 100_000;

const text = z.string().refine((given) => given.isWellFormed(), "must be text");
const edit = z.strictObject({
  old_string: text.min(1).describe("The text to replace, character by character"),
  new_string: text.describe("The new text"),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replace every occurrence; otherwise there must be exactly one"),
});
type Edit = z.output<typeof edit>;

const { old_string, new_string, replace_all } = edit.shape;
const input = z
  .object({
    path: path.describe("The file"),
    old_string: old_string.optional(),
    new_string: new_string.optional(),
    replace_all,
    edits: z
      .array(edit)
      .min(1)
      .max(100)
      .optional()
      .describe("Several replacements, one after the other; all or none"),
  })
  .refine(
    (args) =>
      (args.edits === undefined) ===
      (args.old_string !== undefined && args.new_string !== undefined),
    "takes either `old_string` with `new_string`, or `edits`",
  );

export function editFiles(options: WorkspaceToolsOptions): Tool<CallContext> {
  const { file: limit } = limitsOf(options);
  return defineTool({
    name: "edit_files",
    description:
      "Replaces text in a file of the workspace. The text must occur exactly once, unless every occurrence is replaced.",
    input,
    annotations: { destructiveHint: true, openWorldHint: false },
    async run(
      { path: given, old_string: before = "", new_string: after = "", replace_all: all, edits },
      context: CallContext,
    ) {
      const workspace = await workspaceOf(context, options);
      const segments = workspace.segments(given);
      workspace.mayWrite(segments);
      const change = async (place: Place): Promise<object> => {
        const found = await readText(place, limit);
        if (found.lossy) throw unfit(place.path, "is not UTF-8 text");
        const wanted: readonly Edit[] = edits ?? [
          { old_string: before, new_string: after, replace_all: all },
        ];
        let whole = found.text;
        let replacements = 0;
        for (const one of wanted) {
          const times = timesIn(whole, one.old_string);
          mustFit(one, times, place.path);
          if (whole.length + times * (one.new_string.length - one.old_string.length) > limit)
            throw unfit(place.path, `would grow to more than ${limit} characters`);
          whole = whole.split(one.old_string).join(one.new_string);
          replacements += times;
        }
        const { parted } = await writeText(workspace, place, whole, { state: found.state });
        return {
          status: "success",
          path: place.path,
          replacements,
          ...(parted ? { parted_from_hard_link: true } : {}),
        };
      };
      return inTurn([workspace.real, ...segments].join("/"), () =>
        atPlace(workspace, segments, {}, change),
      );
    },
  });
}

// Stops counting at the limit.
function timesIn(text: string, wanted: string): number {
  let times = 0;
  for (
    let at = text.indexOf(wanted);
    at >= 0 && times <= MAX_TIMES;
    at = text.indexOf(wanted, at + wanted.length)
  )
    times += 1;
  return times;
}

function mustFit(
  { replace_all: all, old_string: wanted }: Edit,
  times: number,
  path: string,
): void {
  if (times === 1 || (times > 1 && times <= MAX_TIMES && all)) return;
  const shown = wanted.slice(0, 80).replace(/\s+/g, " ");
  throw new BylawError({
    code: "BYLAW_EDIT_UNFIT",
    message:
      times === 0
        ? `\`${path}\` does not contain \`${shown}\``
        : `\`${path}\` contains \`${shown}\` ${times > MAX_TIMES ? `more than ${MAX_TIMES}` : times} times, not once`,
    fix:
      times === 0
        ? "Read the file again; the text must match character by character"
        : "Include more of the surrounding text, or set `replace_all`",
  });
}
