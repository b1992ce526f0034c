import { defineConfig } from "rolldown";

// A single file without imports, because reading several files takes longer than everything that the program does. It is minified,
// because Node parses it at each start.
export default defineConfig({
  input: "src/hook-client.ts",
  platform: "node",
  output: { file: "dist/hook-client.cjs", format: "cjs", minify: true },
});
