import { defineConfig } from "rolldown";

// One file without imports of its own, because reading several takes longer than all that it does.
export default defineConfig({
  input: "src/hook-client.ts",
  platform: "node",
  output: { file: "dist/hook-client.cjs", format: "cjs" },
});
