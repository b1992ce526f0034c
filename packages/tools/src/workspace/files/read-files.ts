import { messageOf, present } from "@bylaw/kernel";
import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { limitsOf, type WorkspaceToolsOptions } from "../options.ts";
import { path } from "../shapes.ts";
import { readText } from "./text.ts";
import { atPlace, workspaceOf, type Workspace } from "./workspace.ts";

const input = z
  .object({
    path: path.optional().describe("A file"),
    paths: z.array(path).min(1).max(100).optional().describe("Several files"),
    offset: z.int().min(0).default(0).describe("Lines to leave out at the beginning"),
    limit: z.int().min(1).max(1_000_000).optional().describe("Lines to read"),
  })
  .refine((args) => (args.path === undefined) !== (args.paths === undefined), "takes either `path` or `paths`");

/** Reads text files. */
export function readFiles(options: WorkspaceToolsOptions): Tool<CallContext> {
  const { file, answer } = limitsOf(options);

  async function read(workspace: Workspace, text: string, offset: number, limit: number, room: number) {
    const way = workspace.way(text);
    workspace.mayRead(way);
    return atPlace(workspace, way, {}, async (place) => {
      const found = await readText(place, file);
      const lines = found.text === "" ? [] : found.text.split(/(?<=\n)/);
      const asked = lines.slice(offset, offset + limit);
      const fits = fitting(asked, room);
      const truncated = fits.cut || offset + fits.lines < lines.length;
      return {
        ...{ path: place.path, content: fits.text, lines: fits.lines, total_lines: lines.length, bytes: found.bytes, truncated },
        ...present({ not_utf8: found.lossy || undefined, hard_links: found.links > 1 ? found.links : undefined }),
      };
    });
  }

  return defineTool({
    name: "read_files",
    description: "Reads text files of the workspace, whole or some of their lines.",
    input,
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ path: one, paths, offset, limit = Infinity }, context: CallContext) {
      const workspace = await workspaceOf(context, options);
      if (one !== undefined) return { status: "success", ...(await read(workspace, one, offset, limit, answer)) };
      let room = answer;
      const files: object[] = [];
      for (const path of paths ?? []) {
        context.signal?.throwIfAborted();
        try {
          const part = await read(workspace, path, offset, limit, room);
          room -= part.content.length;
          files.push(part);
        } catch (error) {
          files.push({ path, error: messageOf(error) });
        }
      }
      return { status: "success", files };
    },
  });
}

/** Whole lines up to a number of characters; of a first one that is longer, its beginning. */
function fitting(lines: readonly string[], room: number): { readonly text: string; readonly lines: number; readonly cut: boolean } {
  let length = 0;
  for (const [at, line] of lines.entries()) {
    length += line.length;
    if (length <= room) continue;
    if (at === 0) return { text: line.slice(0, Math.max(0, room)).toWellFormed(), lines: 1, cut: true };
    return { text: lines.slice(0, at).join(""), lines: at, cut: true };
  }
  return { text: lines.join(""), lines: lines.length, cut: false };
}
