import { bylawHere, type Ran } from "./bylaw.ts";

export const NAME = "@acme/rules";
export const POLICY = `[[rules]]
name = "no-refund"
action = "deny"
tool = "refund"
args = { ticket = { exists = false } }
reason = "A refund needs a ticket."
final = true

[[rules]]
name = "no-push"
action = "deny"
command = "git push"
reason = "People push."
match = ["git push"]
`;
export const CASES = `{"id": "bare", "tool": "refund", "args": {}, "must": "deny"}
{"tool": "refund", "args": {"ticket": "T-1"}, "must_not": "deny"}
`;
export const INDEX = `import { fileURLToPath } from "node:url";
import { defineRuleset } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
export const rules = defineRuleset({
  name: "${NAME}",
  plugins: [policy({ files: [fileURLToPath(new URL("policy.toml", import.meta.url))] })],
});
`;
const MANIFEST = {
  name: NAME,
  version: "1.0.0",
  type: "module",
  keywords: ["bylaw-ruleset"],
  files: ["index.js", "policy.toml", "cases.jsonl"],
  exports: { ".": "./index.js", "./package.json": "./package.json" },
  peerDependencies: { "@bylaw/kernel": "^0.0.0" },
};

export type Files = Readonly<Record<string, string | object>>;

/** The files of a ruleset below a folder. npm is not asked what it would publish of one in `node_modules`. */
export const packageAt = (folder: string, { manifest = {}, ...files }: Files = {}) => ({
  [`${folder}/package.json`]: JSON.stringify({ ...MANIFEST, ...(manifest as object) }),
  ...Object.fromEntries(
    Object.entries({
      "policy.toml": POLICY,
      "cases.jsonl": CASES,
      "index.js": INDEX,
      ...(files as Record<string, string>),
    }).map(([file, text]) => [`${folder}/${file}`, text]),
  ),
});
export const OLD = "old/node_modules/@acme/rules";
export const NOW = `node_modules/${NAME}`;
export const ruleset = (cwd: string, args: string): Promise<Ran> =>
  bylawHere(`ruleset ${args}`, { cwd });
