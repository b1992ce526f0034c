import { defineConfig } from "rolldown";

// A single file without imports, because reading several files takes longer than everything that the program does.
export default defineConfig({
  input: "src/hook-client.ts",
  platform: "node",
  output: { file: "dist/hook-client.cjs", format: "cjs" },
});
