import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const TEMPLATE = "hello";
const LEFT_BEHIND: ReadonlySet<string> = new Set([
  "dist",
  "node_modules",
  ".turbo",
  "CHANGELOG.md",
]);
const RESERVED =
  "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield";

const root = resolve(import.meta.dirname, "..");
const template = join(root, "plugins", TEMPLATE);
const [name = "", ...rest] = process.argv.slice(2);
const problem = rest.length > 0 ? "Give one name" : refusal(name);
if (problem === undefined) create(name);
else {
  console.error(`${problem}\nusage: npm run new:plugin NAME`);
  process.exitCode = 2;
}

function refusal(wanted: string): string | undefined {
  const bare = wanted.replace(/^(@bylaw\/)?plugin-/, "");
  if (bare !== wanted) return `Leave out the prefix of \`${wanted}\`: \`${bare}\``;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(wanted) || wanted.length > 40) {
    return `\`${wanted}\` must be kebab-case with at most 40 letters and digits, such as \`budget-limits\``;
  }
  if (existsSync(join(root, "plugins", wanted))) {
    return `There is a plugin \`${wanted}\` already: plugins/${wanted}`;
  }
  const owner = globSync("{packages,plugins,rulesets}/*/package.json", { cwd: root }).find(
    (file) => readManifest(join(root, file))["name"] === `@bylaw/plugin-${wanted}`,
  );
  if (owner !== undefined) {
    return `There is a package @bylaw/plugin-${wanted} already: ${owner}`;
  }
  const identifier = camelCase(wanted);
  const used = globSync("{src,test}/*.ts", { cwd: template }).some((file) =>
    new RegExp(`\\b${identifier}\\b`).test(readFileSync(join(template, file), "utf8")),
  );
  if (used || RESERVED.split(" ").includes(identifier)) {
    return `\`${wanted}\` would be called \`${identifier}\` in the code, which TypeScript or plugins/${TEMPLATE} uses already`;
  }
  return undefined;
}

function create(plugin: string): void {
  const folder = join(root, "plugins", plugin);
  const changeset = join(root, ".changeset", `plugin-${plugin}.md`);
  const snapshot = join(root, "test/contract/api", `plugin-${plugin}.api.md`);
  try {
    cpSync(template, folder, {
      recursive: true,
      filter: (path) => !LEFT_BEHIND.has(basename(path)),
    });
    for (const file of globSync("**/*.{ts,md,json}", { cwd: folder })) {
      const target = join(folder, file);
      writeFileSync(target, rename(readFileSync(target, "utf8"), plugin));
    }
    const main = join(folder, "src", `${plugin}.ts`);
    cpSync(join(folder, "src", `${TEMPLATE}.ts`), main);
    rmSync(join(folder, "src", `${TEMPLATE}.ts`));
    const {
      name: fullName,
      version: _,
      private: __,
      ...manifest
    } = readManifest(join(folder, "package.json"));
    const description = String(manifest["description"]).replace(/;.*/, "");
    const fresh = { name: fullName, version: "0.0.0", ...manifest, description };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(fresh, undefined, 2)}\n`);
    writeFileSync(
      snapshot,
      rename(
        readFileSync(join(root, "test/contract/api", `plugin-${TEMPLATE}.api.md`), "utf8"),
        plugin,
      ),
    );
    writeFileSync(changeset, changesetOf(plugin, description));
    format([folder, changeset]);
  } catch (error) {
    for (const path of [folder, changeset, snapshot])
      rmSync(path, { recursive: true, force: true });
    throw error;
  }
  console.log(`wrote plugins/${plugin}, .changeset/plugin-${plugin}.md and test/contract/api/plugin-${plugin}.api.md
next: npm install     links @bylaw/plugin-${plugin} into the workspace and the lock file
      edit plugins/${plugin}: the check, its examples, the README around the generated sections
      npm run readme  writes the options and the examples into the README
      npm run api     writes the public API that you mean to keep
      npm test`);
}

// Paths and package names keep the name; code uses the identifier.
function rename(text: string, plugin: string): string {
  return text.replace(
    new RegExp(`(plugins?[-/])?\\b${TEMPLATE}\\b(\\.ts)?`, "g"),
    (_, before = "", after = "") =>
      before + after === "" ? camelCase(plugin) : `${before}${plugin}${after}`,
  );
}

function changesetOf(plugin: string, description: string): string {
  return `---\n"@bylaw/plugin-${plugin}": minor\n---\n\n★ The first release. ${description}.\n`;
}

function camelCase(kebab: string): string {
  return kebab.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function readManifest(file: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
}

// A longer name may change line breaks.
function format(paths: readonly string[]): void {
  const bin = join(root, "node_modules/oxfmt/bin/oxfmt");
  const { status, stderr } = spawnSync(process.execPath, [bin, ...paths], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
}
