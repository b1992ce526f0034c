import { execFile } from "node:child_process";
import {
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
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesAt, publishable, root, textOf } from "../contract/workspaces.ts";

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
 * Every package gets its own project with its dependencies only: in a shared one, a package could use what another declares. The
 * folders are links into the one installation, and node and the compiler do not resolve them.
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
  const quiet = [
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--loglevel=error",
  ];
  await run("npm", ["install", ...quiet], { cwd: all });
  const lock = JSON.parse(
    readFileSync(join(all, "node_modules/.package-lock.json"), "utf8"),
  ) as Locked;
  installed = lock.packages;
});

interface Locked {
  readonly packages: Readonly<Record<string, Installed>>;
}

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the tarball", () => {
  it.each(publishable.map(({ manifest }) => [manifest.name]))(
    "of %s holds its build and no test",
    (name) => {
      const paths = tarballs.get(name)?.paths ?? [];
      expect(paths).toEqual(expect.arrayContaining(["package.json", "README.md"]));
      expect(
        paths
          // What a template creates includes a test.
          .filter((path) => !path.startsWith("templates/"))
          .filter((path) => /^(test|node_modules|\.turbo)\/|\.tsbuildinfo$|\.test\./.test(path)),
      ).toEqual([]);
    },
  );
});

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

describe.concurrent("installed in an empty project", () => {
  it.each(publishable.map((workspace) => [workspace.manifest.name, workspace] as const))(
    "%s type-checks and loads under every exported name",
    async (name, workspace) => {
      const own = project(name);
      if (workspace.manifest.exports?.["."] !== undefined) {
        const names = exportedNames(name);
        expect(names.length).toBeGreaterThan(0);
        const values = names.filter((exported) => !exported.startsWith("type "));
        const text = `import { ${names.join(", ")} } from "${name}";\nconsole.log([${values.join(", ")}].length);\n`;
        writeFileSync(join(own, "stranger.ts"), text);
        const { compilerOptions, ...rest } = STRANGER;
        const skipLibCheck = Object.keys(workspace.manifest.peerDependencies ?? {}).some((peer) =>
          UNCHECKED.has(peer),
        );
        writeFileSync(
          join(own, "tsconfig.json"),
          JSON.stringify({ ...rest, compilerOptions: { ...compilerOptions, skipLibCheck } }),
        );
        expect(
          await node([join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"], own),
        ).toBe("");
        expect(await node([join("out", "stranger.js")], own)).toBe(`${values.length}\n`);
      }
      for (const [bin, file] of Object.entries(workspace.manifest.bin ?? {})) {
        const version = await node([join("node_modules", name, file), "--version"], own);
        expect(version, `${bin} --version`).toContain(workspace.manifest.version);
        if (bin === "bylaw") await decides(own, join("node_modules", name, file));
      }
    },
  );
});

// The command bundles copies of our packages. What they load on first use (braces, an expression) must work, and so must a
// configuration with its own copies.
async function decides(own: string, command: string): Promise<void> {
  writeFileSync(join(own, "policy.toml"), POLICY);
  writeFileSync(join(own, "bylaw.config.mjs"), CONFIG);
  for (const source of [
    ["--policy", "policy.toml"],
    ["--config", "bylaw.config.mjs"],
  ]) {
    const call = [
      "check",
      "--tool",
      "read_file",
      "--args",
      '{"path":"src/main.ts"}',
      "--json",
      ...source,
    ];
    const answer = await node([command, ...call], own);
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
/** Frameworks whose own declarations fail under these options, with any package. */
const UNCHECKED: ReadonlySet<string> = new Set(["ai", "langchain", "@openai/agents"]);

const STRANGER = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    types: [],
    preserveSymlinks: true,
    outDir: "out",
    rootDir: ".",
  },
  files: ["stranger.ts"],
};

it("every published package has a snapshot to compare with", () => {
  const snapshots = filesAt("test/contract/api/*.api.md").map((file) => basename(file, ".api.md"));
  const entries = publishable.filter(({ manifest }) => manifest.exports?.["."] !== undefined);
  expect(snapshots).toEqual(
    expect.arrayContaining(entries.map(({ manifest }) => basename(manifest.name))),
  );
});
