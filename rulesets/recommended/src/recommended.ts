import { fileURLToPath } from "node:url";
import { defineRuleset, type Ruleset } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";

// Tools of common agents that the policy language does not know by default, with the arguments that name files.
const files = {
  remove_file: { write: ["path", "file_path"] },
  delete_files: { write: ["path", "paths"] },
  delete_directory: { write: ["path", "directory"] },
  remove_directory: { write: ["path", "directory"] },
};

/** Denies irreversible actions, asks before data leaves the machine, and allows reading inside the workspace. */
export const recommended: Ruleset = defineRuleset({
  name: "@bylaw/ruleset-recommended",
  plugins: [
    policy({
      files: [fileURLToPath(new URL("../policy.toml", import.meta.url))],
      compiled: [fileURLToPath(new URL("../dist/policy.compiled.json", import.meta.url))],
      tools: { files },
    }),
  ],
});
