import { execFile } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  filesAt,
  importsOf,
  packageOf,
  publishable,
  root,
  textOf,
} from "../contract/workspaces.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "bylaw-pack-"));
const tarballs = new Map<string, { readonly file: string; readonly paths: readonly string[] }>();

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

interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// The packages that npm installed for all projects, by their paths below node_modules.
let installed: Readonly<Record<string, Installed>> = {};

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

/** The folders of a package and of all its dependencies. */
function placesFor(name: string): ReadonlySet<string> {
  const linked = new Set<string>();
  const link = (place: string): void => {
    if (linked.has(place)) return;
    linked.add(place);
    const { dependencies, peerDependencies, optionalDependencies } = installed[place] ?? {};
    for (const needed of Object.keys({
      ...dependencies,
      ...peerDependencies,
      ...optionalDependencies,
    })) {
      const at = placeOf(needed, place);
      if (at !== undefined) link(at);
    }
  };
  link(`node_modules/${name}`);
  return linked;
}

/** The size of a package's files, without nested packages. */
function bytesIn(place: string): number {
  const at = join(folder, "all", place);
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.slice(at.length).includes("node_modules"),
    )
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

// Searches like node: inside the package that needs it, then outwards. An optional one may be missing.
function placeOf(name: string, from: string): string | undefined {
  for (
    let inside = from;
    inside !== "";
    inside = inside.slice(0, Math.max(0, inside.lastIndexOf("node_modules/") - 1))
  ) {
    if (`${inside}/node_modules/${name}` in installed) return `${inside}/node_modules/${name}`;
  }
  return `node_modules/${name}` in installed ? `node_modules/${name}` : undefined;
}

// Includes standard error, so that a failed expectation shows it.
async function node(args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: "--preserve-symlinks --preserve-symlinks-main" };
  const { stdout, stderr } = await run(process.execPath, args, { cwd, env }).catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => ({
      stderr: String(error),
      ...error,
    }),
  );
  return `${stdout ?? ""}${stderr}`;
}

beforeAll(async () => {
  const selected = publishable.flatMap(({ manifest }) => ["--workspace", manifest.name]);
  const { stdout } = await run(
    "npm",
    ["pack", "--json", "--pack-destination", folder, ...selected],
    { cwd: root },
  );
  const packed = Object.values(JSON.parse(stdout) as Record<string, Packed>);
  for (const { name, filename, files } of packed) {
    tarballs.set(name, { file: join(folder, filename), paths: files.map(({ path }) => path) });
  }
  const all = join(folder, "all");
  mkdirSync(all);
  const dependencies = Object.fromEntries(
    [...tarballs].map(([name, { file }]) => [name, `file:${file}`]),
  );
  writeFileSync(
    join(all, "package.json"),
    JSON.stringify({ name: "strangers", version: "1.0.0", private: true, dependencies }),
  );
  const quiet = "--prefer-offline --no-audit --no-fund --ignore-scripts --loglevel=error";
  await run("npm", ["install", ...quiet.split(" ")], { cwd: all });
  const lock = readFileSync(join(all, "node_modules/.package-lock.json"), "utf8");
  installed = (JSON.parse(lock) as { readonly packages: typeof installed }).packages;
});

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

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
const UNCHECKED: ReadonlySet<string> = new Set(["ai", "langchain", "@openai/agents"]);
// One program for many packages, so that the types of third parties are checked once.
const programs = Map.groupBy(entries, ({ manifest }) =>
  Object.keys(manifest.peerDependencies ?? {}).some((peer) => UNCHECKED.has(peer)),
);

it.each([...programs])(
  "every exported name type-checks and loads, in a program with `skipLibCheck: %s`",
  async (skipLibCheck, packages) => {
    const own = join(folder, "all", `skip-${skipLibCheck}`);
    mkdirSync(own);
    const counts = packages.map(({ manifest: { name } }) => {
      const names = exportedNames(name);
      expect(names, name).not.toEqual([]);
      const values = names.filter((exported) => !exported.startsWith("type "));
      const text = `import { ${names.join(", ")} } from "${name}";\nconsole.log("${name}", [${values.join(", ")}].length);\n`;
      writeFileSync(join(own, `${basename(name)}.ts`), text);
      return `${name} ${values.length}`;
    });
    const compilerOptions = { ...STRANGER, skipLibCheck };
    writeFileSync(join(own, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    writeFileSync(join(own, "package.json"), '{ "type": "module" }');
    expect(
      await node([join(root, "node_modules/typescript/bin/tsc"), "--singleThreaded"], own),
    ).toBe("");
    const files = packages.map(({ manifest: { name } }) => `./out/${basename(name)}.js`);
    const load = files.map((file) => `await import("${file}");`).join("");
    const printed = await node(["--input-type=module", "--eval", load], own);
    expect(printed.trimEnd().split("\n")).toEqual(counts);
  },
);

const programsOf = publishable.flatMap(({ manifest: { name, version, bin = {} } }) =>
  Object.entries(bin).map(([command, file]) => [command, { name, version, file }] as const),
);

it.each(programsOf)(
  "`%s` runs in a project with what its package declares",
  async (command, { name, version, file }) => {
    const own = project(name);
    const at = join("node_modules", name, file);
    expect(await node([at, "--version"], own)).toContain(version);
    if (command === "bylaw") await decides(own, at);
  },
);

// The command bundles copies of our packages. What they load on first use (braces, an expression) must work, and so must a
// configuration with its own copies.
async function decides(own: string, command: string): Promise<void> {
  writeFileSync(join(own, "policy.toml"), POLICY);
  writeFileSync(join(own, "bylaw.config.mjs"), CONFIG);
  for (const source of [
    ["--policy", "policy.toml"],
    ["--config", "bylaw.config.mjs"],
  ]) {
    const call = 'check --tool read_file --args {"path":"src/main.ts"} --json'.split(" ");
    const answer = await node([command, ...call, ...source], own);
    expect(answer, source.join(" ")).toContain('"effect":"allow"');
    expect(answer, source.join(" ")).toContain('"name":"sources"');
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
