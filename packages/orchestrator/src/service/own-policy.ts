import { sep } from "node:path";
import type { Plugin } from "@bylaw/kernel";
import type * as PolicyPlugin from "@bylaw/plugin-policy";

// What means something to a glob is taken as it is.
const literal = (path: string): string =>
  path
    .split(sep)
    .join("/")
    .replaceAll(/[\\*?[\]{}!]/g, "\\$&");

/** The tools of a workspace that touch files, with their arguments that name them. */
const files = {
  read_files: { read: ["path", "paths"] },
  write_files: { write: ["path"] },
  edit_files: { write: ["path"] },
  grep: { read: ["path"], cwd: true },
  glob: { read: ["path"], cwd: true },
  search_codebase: { read: ["path"], cwd: true },
};

/**
 * Keeps agents from what the server lives by: its folder, where store and secrets are, and the environment of processes. It reads what a
 * call and a shell line say; a program that an agent wrote says nothing, so run programs elsewhere (`tools.wrap`).
 */
export function ownPolicy({ policy }: Pick<typeof PolicyPlugin, "policy">, folders: readonly string[]): Plugin {
  const paths = [...folders.flatMap((folder) => [literal(folder), `${literal(folder)}/**`]), "/proc/**/environ", "/proc/**/mem"];
  const text = `
[[rules]]
name = "no-secrets-of-the-server"
action = "deny"
final = true
paths = ${JSON.stringify(paths)}
reason = "Unexpected use of the server's own files, expected work without them"
fix = "work in the workspace"
`;
  return policy({ text, tools: { files } });
}
