import { execFile } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  filesAt,
  importsOf,
  packageOf,
  publishable,
  root,
  textOf,
  type Manifest,
} from "../contract/workspaces.ts";
import {
  bytesIn,
  folder,
  installTypescript,
  packAndInstall,
  placesFor,
  tarballs,
} from "./installation.ts";

const run = promisify(execFile);

// Names as in an import clause: `createKernel`, `type Kernel`.
function exportedNames(name: string): readonly string[] {
  const report = textOf(`test/contract/api/${basename(name)}.api.md`);
  const declared =
    /^(export )?(?:declare )?(?:abstract )?(const|function|class|interface|type) (\w+)/gm;
  const kinds = Array.from(report.matchAll(declared), ([, exported, kind, own = ""]) => ({
    own,
    exported: exported !== undefined,
    prefix: kind === "interface" || kind === "type" ? "type " : "",
  }));
  const renamed = Array.from(
    report.matchAll(/^export \{ (\w+) as (\w+) \}/gm),
    ([, own, told = ""]) => {
      return `${kinds.find((kind) => kind.own === own)?.prefix ?? ""}${told}`;
    },
  );
  const direct = kinds
    .filter(({ exported }) => exported)
    .map(({ own, prefix }) => `${prefix}${own}`);
  return [...new Set([...direct, ...renamed])];
}

/**
 * A project with one package and its dependencies only: in a shared one, a package could use what another declares. The folders are
 * links into the one installation, and node does not resolve them.
 */
function project(name: string): string {
  const own = join(folder, basename(name));
  for (const place of placesFor(name)) {
    // Nested packages are linked with the package that contains them.
    if (place.indexOf("node_modules/") !== place.lastIndexOf("node_modules/")) continue;
    mkdirSync(dirname(join(own, place)), { recursive: true });
    symlinkSync(join(folder, "all", place), join(own, place));
  }
  writeFileSync(
    join(own, "package.json"),
    JSON.stringify({ name: "stranger", version: "1.0.0", private: true, type: "module" }),
  );
  return own;
}

// Includes standard error, so that a failed expectation shows it.
async function node(args: readonly string[], cwd: string, input = ""): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: "--preserve-symlinks --preserve-symlinks-main" };
  const running = run(process.execPath, args, { cwd, env });
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running.catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => ({
      stderr: String(error),
      ...error,
    }),
  );
  return `${stdout ?? ""}${stderr}`;
}

beforeAll(packAndInstall);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(publishable.map(({ manifest }) => [manifest.name]))(
  "the tarball of %s holds its build and no test",
  (name) => {
    const paths = tarballs.get(name)?.paths ?? [];
    expect(paths).toEqual(expect.arrayContaining(["package.json", "README.md"]));
    // What a template creates includes a test.
    const own = paths.filter((path) => !path.startsWith("templates/"));
    const foreign = /^(test|node_modules|\.turbo)\/|\.tsbuildinfo$|\.test\./;
    expect(own.filter((path) => foreign.test(path))).toEqual([]);
  },
);

// As it is, and as bundlers write it in the name of a file.
const BUILT_AT = [root, root.replaceAll("/", "_2F"), encodeURIComponent(root)];

it.each(publishable.map(({ manifest }) => [manifest.name]))(
  "nothing in the tarball of %s names the folder where it was built",
  (name) => {
    const paths = tarballs.get(name)?.paths ?? [];
    const told = paths.filter((path) => {
      const text = readFileSync(join(folder, "all/node_modules", name, path), "latin1");
      return BUILT_AT.some((place) => `${path}\n${text}`.includes(place));
    });
    expect(told).toEqual([]);
  },
);

it.each(publishable.map(({ manifest }) => [manifest.name]))(
  "are-the-types-wrong finds nothing in the tarball of %s",
  async (name) => {
    const data = readFileSync(tarballs.get(name)?.file ?? "");
    const result = await checkPackage(createPackageFromTarballData(data));
    const problems = "problems" in result ? result.problems : [];
    expect(problems.filter((problem) => !isBeforeEsm(problem))).toEqual([]);
    expect(result.types, name).not.toBe(false);
  },
);

// Our packages are ES modules alone. Node 10 and `require` before Node 22 cannot read them, and we support neither.
const isBeforeEsm = (problem: Problem): boolean =>
  "resolutionKind" in problem &&
  (problem.resolutionKind === "node10" || problem.resolutionKind === "node16-cjs");

interface Budget {
  readonly name: string;
  /** The number of packages in an installation, including this one. */
  readonly packages: number;
  readonly megabytes: number;
}

it.each(readCases<Budget>(import.meta, "budgets"))(
  "$name installs at most $packages packages and $megabytes MB",
  ({ name, packages, megabytes }) => {
    const places = [...placesFor(name)];
    expect(places.length, places.join(" ")).toBeLessThanOrEqual(packages);
    const bytes = places.map(bytesIn).reduce((sum, each) => sum + each, 0);
    expect(bytes / 1e6).toBeLessThanOrEqual(megabytes);
  },
);

const entries = publishable.filter(({ manifest }) => manifest.exports?.["."] !== undefined);

it.each(entries.map(({ manifest }) => [manifest.name, manifest] as const))(
  "%s imports nothing but itself and what it declares",
  (name, { dependencies, peerDependencies, optionalDependencies }) => {
    const own = join(folder, "all/node_modules", name);
    const declared = { ...dependencies, ...peerDependencies, ...optionalDependencies };
    const allowed = [name, ...Object.keys(declared)];
    const files = globSync("{dist,bin}/**/*.{js,cjs,d.ts}", { cwd: own, withFileTypes: true });
    const imported = files
      .filter((file) => file.isFile())
      .flatMap(({ parentPath, name: file }) => {
        const path = relative(root, join(parentPath, file));
        const types = textOf(path).matchAll(/\bimport\("([^"]+)"\)/g);
        return [
          ...importsOf(path).map(({ specifier }) => specifier),
          ...Array.from(types, ([, specifier = ""]) => specifier),
        ];
      });
    const packages = imported.filter((one) => !/^(?:\.|node:|\*$)/.test(one)).map(packageOf);
    expect(packages.filter((one) => !allowed.includes(one))).toEqual([]);
  },
);

// Frameworks whose own declarations fail under strict options, with any package.
const UNCHECKED: ReadonlySet<string> = new Set([
  "ai",
  "langchain",
  "@mastra/core",
  "@openai/agents",
]);
// One program for many packages, so that the types of third parties are checked once.
const programs = Map.groupBy(entries, ({ manifest }) =>
  Object.keys(manifest.peerDependencies ?? {}).some((peer) => UNCHECKED.has(peer)),
);

beforeAll(() => {
  for (const [skipLibCheck, packages] of programs) {
    const own = programFolder(skipLibCheck);
    mkdirSync(own);
    const compilerOptions = { ...STRANGER, skipLibCheck };
    writeFileSync(join(own, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    writeFileSync(join(own, "package.json"), '{ "type": "module" }');
    for (const { manifest } of packages) writeImports(own, manifest);
  }
  for (const module of ["nodenext", "preserve"]) {
    const compilerOptions = { ...STRANGER, module, skipLibCheck: true, noEmit: true };
    const config = { compilerOptions, include: ["skip-*/*"] };
    writeFileSync(join(folder, `all/${module}.json`), JSON.stringify(config));
  }
});

const programFolder = (skipLibCheck: boolean): string =>
  join(folder, "all", `skip-${skipLibCheck}`);

const valuesOf = (name: string): readonly string[] =>
  exportedNames(name).filter((exported) => !exported.startsWith("type "));

/** Writes modules that import each entry of a package, with `import` and with `require`, and print how many values it has. */
function writeImports(own: string, { name, exports = {} }: Manifest): void {
  for (const entry of Object.keys(exports).filter((path) => !path.endsWith(".json"))) {
    const specifier = `${name}${entry.slice(1)}`;
    const file = join(own, specifier.replaceAll(/\W+/g, "-"));
    const print = (values: string): string => `console.log("${specifier}", ${values}.length);\n`;
    const all = print("Object.keys(all)");
    const imported =
      entry === "."
        ? `import { ${exportedNames(name).join(", ")} } from "${specifier}";\n${print(`[${valuesOf(name).join(", ")}]`)}`
        : `import * as all from "${specifier}";\n${all}`;
    writeFileSync(`${file}.ts`, imported);
    writeFileSync(`${file}.cts`, `import all = require("${specifier}");\n${all}`);
  }
}

it.each([...programs])(
  "every exported name type-checks and loads, in a program with `skipLibCheck: %s`",
  async (skipLibCheck, packages) => {
    const own = programFolder(skipLibCheck);
    expect(await node([NEWEST, "--singleThreaded"], own)).toBe("");
    const load = async (extension: string): Promise<readonly string[]> => {
      const files = globSync(`out/*.${extension}`, { cwd: own }).sort();
      const text = files.map((file) => `await import("./${file}");`).join("");
      return (await node(["--input-type=module", "--eval", text], own)).trimEnd().split("\n");
    };
    const printed = await load("js");
    const counts = packages.map(({ manifest: { name } }) => `${name} ${valuesOf(name).length}`);
    expect(printed).toEqual(expect.arrayContaining(counts));
    expect(await load("cjs")).toEqual(printed);
  },
);

const NEWEST = join(root, "node_modules/typescript/bin/tsc");

// Bundlers look packages up as `preserve` does. One build reads the types of third parties once for both modes.
it("every exported name type-checks with the newest TypeScript, for bundlers too", async () => {
  expect(await node([NEWEST, "--build", "preserve.json"], join(folder, "all"))).toBe("");
});

it("every exported name type-checks with TypeScript 5.8, for bundlers too", async () => {
  const command = [await installTypescript("5.8.3"), "--build", "nodenext.json", "preserve.json"];
  expect(await node(command, join(folder, "all"))).toBe("");
});

const programsOf = publishable.flatMap(({ manifest: { name, version, bin = {} } }) =>
  Object.entries(bin).map(([command, file]) => [command, { name, version, file }] as const),
);

it.each(programsOf)(
  "`%s` runs in a project with what its package declares",
  async (command, { name, version, file }) => {
    const own = project(name);
    const at = join("node_modules", name, file);
    expect(await node([at, "--version"], own)).toContain(version);
    if (command !== "bylaw") return;
    await decides(own, at);
    await records(own, at);
  },
);

// A new project needs no package but the command to record what its agent does.
async function records(own: string, command: string): Promise<void> {
  for (const format of ["ts", "json", "yaml", "toml"]) {
    const fresh = join(own, format);
    await node([command, "init", fresh, "--format", format], own);
    const event = {
      ...{ hook_event_name: "PreToolUse", session_id: "s1", cwd: fresh, tool_use_id: "t1" },
      ...{ tool_name: "Bash", tool_input: { command: "git push --force" } },
    };
    const config = join(fresh, `bylaw.config.${format}`);
    const hook = [command, "hook", "claude-code", "--config", config];
    expect(await node(hook, own, JSON.stringify(event)), format).toContain("no-force-push");
    const log = join(fresh, ".bylaw/logs/claude-code-s1.jsonl");
    expect(readFileSync(log, "utf8"), format).toContain('"tool_denied"');
  }
}

// The command bundles copies of our packages. What they load on first use (braces, an expression) must work, and so must a
// configuration with its own copies.
async function decides(own: string, command: string): Promise<void> {
  writeFileSync(join(own, "policy.toml"), POLICY);
  writeFileSync(join(own, "bylaw.config.mjs"), CONFIG);
  for (const source of ["--policy policy.toml", "--config bylaw.config.mjs"]) {
    const call = `check --tool read_file --args {"path":"src/main.ts"} --json ${source}`;
    const answer = await node([command, ...call.split(" ")], own);
    expect(answer, source).toContain('"effect":"allow"');
    expect(answer, source).toContain('"name":"sources"');
  }
}

const POLICY = `[[rules]]
name = "sources"
action = "allow"
tool = "{read,list}_file"
args = { path = { regex = "src/.*[.]ts" } }
`;

const CONFIG = `import { defineConfig } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";

export default defineConfig({ plugins: [policy({ files: ["policy.toml"], operator: true })] });
`;

// With the strictest options that a user may choose, and with the types of the packages checked too.
const STRANGER = {
  target: "es2023",
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipDefaultLibCheck: true,
  types: [],
  outDir: "out",
  rootDir: ".",
};

it("every published package has a snapshot to compare with", () => {
  const snapshots = filesAt("test/contract/api/*.api.md").map((file) => basename(file, ".api.md"));
  expect(snapshots).toEqual(
    expect.arrayContaining(entries.map(({ manifest }) => basename(manifest.name))),
  );
});
