import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@bylaw/testing";

const kernel = dirname(dirname(fileURLToPath(import.meta.resolve("@bylaw/kernel"))));
const zod = dirname(fileURLToPath(import.meta.resolve("zod/package.json")));

/** Creates a folder with files that is removed after the test. `packages` are installed in it, and always the kernel and zod. */
export function project(
  files: Readonly<Record<string, string | Uint8Array>>,
  packages: Readonly<Record<string, string>> = {},
): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "node_modules/@bylaw"), { recursive: true });
  symlinkSync(kernel, join(root, "node_modules/@bylaw/kernel"));
  symlinkSync(zod, join(root, "node_modules/zod"));
  for (const [name, source] of Object.entries(packages)) {
    write(
      root,
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, type: "module", exports: { import: "./i.js" } }),
    );
    write(root, `node_modules/${name}/i.js`, source);
  }
  for (const [file, content] of Object.entries(files)) write(root, file, content);
  return root;
}

function write(root: string, file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

/** A package with the plugin `acme-words`, which denies the tools that its options name. */
export const WORDS = `
import { deny, definePlugin } from "@bylaw/kernel";
import { z } from "zod";
export const words = definePlugin({
  name: "acme-words",
  version: "1.2.3",
  options: z.strictObject({ tools: z.array(z.string()).default(["rm"]) }).default({ tools: ["rm"] }),
  rules: ({ options }) => options.tools.map((name) => ({ name })),
  apply({ hooks }, { tools }, { excludedRules }) {
    const denied = tools.filter((tool) => !excludedRules.has(tool));
    hooks.beforeToolCall.tap("tools", ({ tool }) => denied.includes(tool) ? deny(\`Unexpected \${tool}\`) : undefined);
  },
});
export default words;
`;

/** A package with the ruleset `acme-rules`, which uses `acme-words` twice. */
export const RULES = `
import { words } from "acme-words";
import { defineRuleset } from "@bylaw/kernel";
export const rules = defineRuleset({ name: "acme-rules", plugins: [words({ tools: ["drop_table"] })] });
`;

export const PACKAGES = { "acme-words": WORDS, "acme-rules": RULES } as const;
