import { readFileSync } from "node:fs";

const FOLDER = new URL("../../plugins/policy/test/fixtures/shell/policies/", import.meta.url);

/** The text of a policy of the cases. */
export function policyText(name: string): string {
  return readFileSync(new URL(`${name}.toml`, FOLDER), "utf8");
}

/** The names of the policies of the cases. */
export const POLICIES = [
  "allow-list",
  "ci-default-deny",
  "deny-list",
  "json-args",
  "mcp",
  "paths",
  "read-only-tools",
  "tiers",
  "user-regex",
];
