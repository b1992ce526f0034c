import { sep } from "node:path";
import type { Plugin } from "@bylaw/kernel";
import type * as PolicyPlugin from "@bylaw/plugin-policy";
import { realOf, type ServerFiles } from "../config/server-files.ts";

// Escapes characters that a glob would interpret.
const literal = (path: string): string =>
  path
    .split(sep)
    .join("/")
    .replaceAll(/[\\*?[\]{}!]/g, "\\$&");

// A command may name a place through a link, or by its real path.
const below = (places: readonly string[]): readonly string[] =>
  [...new Set(places.flatMap((place) => [place, realOf(place)]))].flatMap((place) => [
    literal(place),
    `${literal(place)}/**`,
  ]);

const ruleOf = (name: string, paths: string, reason: string): string => `
[[rules]]
name = "${name}"
action = "deny"
tool = "bash"
final = true
paths = ${paths}
reason = "${reason}"
fix = "Work in the workspace."
`;

/**
 * Keeps shell commands of agents away from the server's files: its data folder with store and secrets, what it starts from, and the
 * environment of processes. The other tools hide these themselves. What a program of an agent reads cannot be seen from its command, so run
 * programs elsewhere (`tools.wrap`).
 */
export function serverFilePolicy(
  { policy }: Pick<typeof PolicyPlugin, "policy">,
  { hidden, kept }: ServerFiles,
): Plugin {
  const unseen = JSON.stringify([...below(hidden), "/proc/**/environ", "/proc/**/mem"]);
  const secrets = ruleOf(
    "no-secrets-of-the-server",
    unseen,
    "These are the server's own files, which are off limits.",
  );
  const written = `{ write = ${JSON.stringify(below(kept))} }`;
  const rules = ruleOf(
    "no-writing-of-its-rules",
    written,
    "This would change what the server runs or how it decides.",
  );
  return policy({ text: kept.length === 0 ? secrets : `${secrets}${rules}` });
}
