import { messageOf, omitUndefined } from "@bylaw/kernel";
import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { limitsOf, type WorkspaceToolsOptions, path } from "../options.ts";
import { readText } from "./text.ts";
import { atPlace, workspaceOf, type Workspace } from "./workspace.ts";

const input = z
  .object({
    path: path.optional().describe("A file"),
    paths: z.array(path).min(1).max(100).optional().describe("Several files"),
    offset: z.int().min(0).default(0).describe("Number of lines to skip at the beginning"),
    limit: z.int().min(1).max(1_000_000).optional().describe("Number of lines to read"),
  })
  .refine(
    (args) => (args.path === undefined) !== (args.paths === undefined),
    "takes either `path` or `paths`",
  );

export function readFiles(options: WorkspaceToolsOptions): Tool<CallContext> {
  const { file, answer } = limitsOf(options);

  async function read(
    workspace: Workspace,
    text: string,
    offset: number,
    limit: number,
    remaining: number,
  ) {
    const segments = workspace.segments(text);
    workspace.mayRead(segments);
    return atPlace(workspace, segments, {}, async (place) => {
      const found = await readText(place, file);
      const { content, lines, total_lines, truncated } = partOf(
        found.text,
        offset,
        limit,
        remaining,
      );
      return {
        path: place.path,
        content,
        lines,
        total_lines,
        bytes: found.bytes,
        truncated,
        ...omitUndefined({
          not_utf8: found.lossy || undefined,
          hard_links: found.links > 1 ? found.links : undefined,
        }),
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
      if (one !== undefined)
        return { status: "success", ...(await read(workspace, one, offset, limit, answer)) };
      let remaining = answer;
      const files: object[] = [];
      for (const path of paths ?? []) {
        context.signal?.throwIfAborted();
        try {
          const part = await read(workspace, path, offset, limit, remaining);
          remaining -= part.content.length;
          files.push(part);
        } catch (error) {
          files.push({ path, error: messageOf(error) });
        }
      }
      return { status: "success", files };
    },
  });
}

/** Whole lines up to a number of characters. A longer first line is cut. */
function partOf(text: string, offset: number, limit: number, remaining: number) {
  let [from, to, total] = [text.length, text.length, 0];
  let last = offset;
  for (let at = 0; at < text.length; total += 1) {
    const next = text.indexOf("\n", at) + 1 || text.length;
    if (total === offset) [from, to] = [at, at];
    if (total >= offset && total === last && total - offset < limit && next - from <= remaining) {
      to = next;
      last = total + 1;
    }
    at = next;
  }
  if (last > offset || offset >= total)
    return {
      content: text.slice(from, to),
      lines: last - offset,
      total_lines: total,
      truncated: last < total,
    };
  return {
    content: text.slice(from, from + Math.max(0, remaining)).toWellFormed(),
    lines: 1,
    total_lines: total,
    truncated: true,
  };
}
