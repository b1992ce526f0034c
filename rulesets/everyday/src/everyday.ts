import { fileURLToPath } from "node:url";
import { defineRuleset, type Ruleset } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { recommended } from "@bylaw/ruleset-recommended";

/** Adds the ordinary work of a day to the recommended rules, so that an agent asks only about new kinds of actions. */
export const everyday: Ruleset = defineRuleset({
  name: "@bylaw/ruleset-everyday",
  extends: [recommended],
  plugins: [
    policy({
      files: [fileURLToPath(new URL("../policy.toml", import.meta.url))],
      compiled: [fileURLToPath(new URL("../dist/policy.compiled.json", import.meta.url))],
    }),
  ],
});
