import { fileURLToPath } from "node:url";
import { defineRuleset } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";

export const IDENTIFIER = defineRuleset({
  name: "PACKAGE_NAME",
  plugins: [policy({ files: [fileURLToPath(new URL("policy.toml", import.meta.url))] })],
});
