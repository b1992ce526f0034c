import { sep } from "node:path";
import type { Plugin } from "@bylaw/kernel";
import type * as PolicyPlugin from "@bylaw/plugin-policy";

// What means something to a glob is taken as it is.
const literal = (path: string): string =>
  path
    .split(sep)
    .join("/")
    .replaceAll(/[\\*?[\]{}!]/g, "\\$&");

/**
 * Keeps shell lines of agents from what the server lives by: its folder, where store and secrets are, and the environment of processes;
 * the other tools hide that themselves. A program that an agent wrote says nothing of what it reads: run programs elsewhere (`tools.wrap`).
 */
export function ownPolicy({ policy }: Pick<typeof PolicyPlugin, "policy">, folders: readonly string[]): Plugin {
  const paths = [...folders.flatMap((folder) => [literal(folder), `${literal(folder)}/**`]), "/proc/**/environ", "/proc/**/mem"];
  const text = `
[[rules]]
name = "no-secrets-of-the-server"
action = "deny"
tool = "bash"
final = true
paths = ${JSON.stringify(paths)}
reason = "Unexpected use of the server's own files, expected work without them"
fix = "work in the workspace"
`;
  return policy({ text });
}
