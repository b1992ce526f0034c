// Builds the documentation site into docs/site/.vitepress/dist. Its programs are installed into a folder of their own.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const site = join(root, "docs/site");
const modules = join(site, "node_modules");

function run(cwd: string, program: string, ...args: readonly string[]): void {
  const shell = process.platform === "win32" && program === "npm";
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit", shell });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(modules)) run(site, "npm", "ci", "--ignore-scripts", "--no-fund", "--no-audit");
// TypeDoc uses an older TypeScript, which rejects `checkers`.
const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as {
  readonly compilerOptions: Readonly<Record<string, unknown>>;
};
const { checkers: _, ...options } = compilerOptions;
const files = ["../../packages/*/src", "../../plugins/*/src"];
writeFileSync(
  join(site, "tsconfig.json"),
  JSON.stringify({ compilerOptions: { ...options, noEmit: true }, include: files }),
);
run(site, process.execPath, join(modules, "typedoc/bin/typedoc"));
// TypeDoc lists folders, and a reader looks for packages.
const index = join(site, "api/index.md");
const listed = readFileSync(index, "utf8")
  .replaceAll(/\[packages\/([\w-]+)\/src\]/g, "[@bylaw/$1]")
  .replaceAll(/\[plugins\/([\w-]+)\/src\]/g, "[@bylaw/plugin-$1]");
writeFileSync(index, listed);
// VitePress links its vue into the node_modules of the folder that it is started in, and pages look for it above themselves.
run(root, process.execPath, join(modules, "vitepress/bin/vitepress.js"), "build", "docs/site");
