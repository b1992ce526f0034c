import { DEFAULT_TOOLS, type FileTool, type ToolTable } from "@bylaw/policy-language";

/** One table for the whole pool. If two uses disagree about a tool's files, the arguments of both count. */
export function mergeTools(tables: readonly ToolTable[]): ToolTable {
  if (tables.length === 0) return DEFAULT_TOOLS;
  const shell = new Map<string, string>();
  const files = new Map<string, FileTool>();
  const network = new Map<string, string>();
  for (const table of tables) {
    for (const [name, argument] of table.shell) shell.set(name, argument);
    for (const [name, argument] of table.network) network.set(name, argument);
    for (const [name, tool] of table.files) {
      const other = files.get(name);
      files.set(name, other === undefined || other === tool ? tool : union(other, tool));
    }
  }
  return { shell, files, network };
}

function union(left: FileTool, right: FileTool): FileTool {
  const both = (key: "read" | "write" | "patches" | "globs"): readonly string[] => [
    ...new Set([...(left[key] ?? []), ...(right[key] ?? [])]),
  ];
  const write = both("write");
  return {
    read: both("read"),
    // Nothing for two tools that only read.
    write: write.length > 0 ? write : undefined,
    patches: both("patches"),
    globs: both("globs"),
    cwd: left.cwd === true && right.cwd === true,
  };
}
