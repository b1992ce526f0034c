import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesAt, publishable, root, textOf, type Workspace } from "../contract/workspaces.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "bylaw-pack-"));
const tarballs = new Map<string, { readonly file: string; readonly paths: readonly string[] }>();
const byName = new Map(publishable.map((workspace) => [workspace.manifest.name, workspace]));

// Every package gets a project of its own: together they would lend each other what one of them forgot to declare.
function closure({ manifest }: Workspace, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(manifest.name)) return found;
  found.add(manifest.name);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const needed = byName.get(name);
    if (needed !== undefined) closure(needed, found);
  }
  return found;
}

// As the import clause names them: `createKernel`, `type Kernel`.
function exportedNames(name: string): readonly string[] {
  const report = textOf(`test/contract/api/${basename(name)}.api.md`);
  const declared = /^(export )?(?:declare )?(?:abstract )?(const|function|class|interface|type) (\w+)/gm;
  const kinds = Array.from(report.matchAll(declared), ([, exported, kind, own = ""]) => ({
    own,
    exported: exported !== undefined,
    prefix: kind === "interface" || kind === "type" ? "type " : "",
  }));
  const renamed = Array.from(report.matchAll(/^export \{ (\w+) as (\w+) \}/gm), ([, own, told = ""]) => {
    return `${kinds.find((kind) => kind.own === own)?.prefix ?? ""}${told}`;
  });
  const direct = kinds.filter(({ exported }) => exported).map(({ own, prefix }) => `${prefix}${own}`);
  return [...new Set([...direct, ...renamed])];
}

async function install(workspace: Workspace): Promise<string> {
  const project = join(folder, basename(workspace.manifest.name));
  mkdirSync(project);
  const dependencies = Object.fromEntries([...closure(workspace)].map((name) => [name, `file:${tarballs.get(name)?.file ?? ""}`]));
  const manifest = { name: "stranger", version: "1.0.0", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await run("npm", ["install", ...quiet], { cwd: project });
  return project;
}

// What it printed, errors too, so that a failed expectation shows them.
async function node(args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, args, { cwd }).catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => ({ stderr: String(error), ...error }),
  );
  return `${stdout ?? ""}${stderr}`;
}

beforeAll(async () => {
  const selected = publishable.flatMap(({ manifest }) => ["--workspace", manifest.name]);
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder, ...selected], { cwd: root });
  const packed = Object.values(JSON.parse(stdout) as Record<string, Packed>);
  for (const { name, filename, files } of packed) {
    tarballs.set(name, { file: join(folder, filename), paths: files.map(({ path }) => path) });
  }
});

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the tarball", () => {
  it.each(publishable.map(({ manifest }) => [manifest.name]))("of %s holds its build and no test", (name) => {
    const paths = tarballs.get(name)?.paths ?? [];
    expect(paths).toEqual(expect.arrayContaining(["package.json", "README.md"]));
    expect(paths.filter((path) => /^(test|node_modules|\.turbo)\/|\.tsbuildinfo$|\.test\./.test(path))).toEqual([]);
  });
});

describe.concurrent("installed in an empty project", () => {
  it.each(publishable.map((workspace) => [workspace.manifest.name, workspace] as const))(
    "%s type-checks and loads by every name that it exports",
    async (name, workspace) => {
      const project = await install(workspace);
      if (workspace.manifest.exports?.["."] !== undefined) {
        const names = exportedNames(name);
        expect(names.length).toBeGreaterThan(0);
        const values = names.filter((exported) => !exported.startsWith("type "));
        const text = `import { ${names.join(", ")} } from "${name}";\nconsole.log([${values.join(", ")}].length);\n`;
        writeFileSync(join(project, "stranger.ts"), text);
        writeFileSync(join(project, "tsconfig.json"), JSON.stringify(STRANGER));
        expect(await node([join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"], project)).toBe("");
        expect(await node([join("out", "stranger.js")], project)).toBe(`${values.length}\n`);
      }
      for (const [bin, file] of Object.entries(workspace.manifest.bin ?? {})) {
        const version = await node([join("node_modules", name, file), "--version"], project);
        expect(version, `${bin} --version`).toContain(workspace.manifest.version);
        if (bin === "bylaw") await decides(project, join("node_modules", name, file));
      }
    },
  );
});

// The command contains copies of our packages: what they load on first use (braces, an expression) and a configuration that
// brings copies of its own must work all the same.
async function decides(project: string, command: string): Promise<void> {
  writeFileSync(join(project, "policy.toml"), POLICY);
  writeFileSync(join(project, "bylaw.config.mjs"), CONFIG);
  for (const source of [
    ["--policy", "policy.toml"],
    ["--config", "bylaw.config.mjs"],
  ]) {
    const call = ["check", "--tool", "read_file", "--args", '{"path":"src/main.ts"}', "--json", ...source];
    const answer = await node([command, ...call], project);
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

// As strict as a stranger may be, and with the types of the packages checked too.
const STRANGER = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    types: [],
    outDir: "out",
    rootDir: ".",
  },
  files: ["stranger.ts"],
};

it("every package that is published has a snapshot to compare with", () => {
  const snapshots = filesAt("test/contract/api/*.api.md").map((file) => basename(file, ".api.md"));
  const entries = publishable.filter(({ manifest }) => manifest.exports?.["."] !== undefined);
  expect(snapshots).toEqual(expect.arrayContaining(entries.map(({ manifest }) => basename(manifest.name))));
});
