import { defineConfig } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { recommended } from "@bylaw/ruleset-recommended";

export default defineConfig({
  extends: [recommended],
  plugins: [policy({ files: [".bylaw/policy.toml"] })],
});
