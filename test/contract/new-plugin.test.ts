import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { filesAt, root, workspaces } from "./workspaces.ts";

const copy = temporaryFolder();
const LEFT_BEHIND: ReadonlySet<string> = new Set(["node_modules", ".git", ".turbo", "coverage"]);

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

function run(args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args], {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  });
  return { status, output: `${stdout}${stderr}` };
}

const newPlugin = (...args: readonly string[]): Ended => run(["tools/new-plugin.ts", ...args]);

// Does not enter what is installed, because its links lead to everything.
function listing(folder = ""): readonly string[] {
  return readdirSync(join(copy, folder), { withFileTypes: true })
    .filter(({ name }) => !LEFT_BEHIND.has(name) && name !== "dist")
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? [path, ...listing(path)] : [path];
    })
    .sort();
}

// Makes a separate workspace with the installed third-party packages and copies of our own.
function install(): void {
  for (const entry of readdirSync(join(root, "node_modules"))) {
    if (entry === "@bylaw" || entry === "create-bylaw" || entry.startsWith(".vite")) continue;
    mkdirSync(join(copy, "node_modules"), { recursive: true });
    symlinkSync(join(root, "node_modules", entry), join(copy, "node_modules", entry));
  }
  mkdirSync(join(copy, "node_modules/@bylaw"));
  for (const { folder, manifest } of workspaces) {
    link(manifest.name, folder);
    const own = join(folder, "node_modules");
    if (existsSync(join(root, own))) symlinkSync(join(root, own), join(copy, own));
  }
  link("@bylaw/test", "test");
}

function link(name: string, folder: string): void {
  symlinkSync(join(copy, folder), join(copy, "node_modules", name));
}

beforeAll(() => {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => path === root || !LEFT_BEHIND.has(basename(path)),
  });
  install();
});

describe("npm run new:plugin", () => {
  it.each(readCases<[string, string]>(import.meta, "refused-names"))(
    "refuses the name `%s` and writes nothing",
    (name, why) => {
      const before = listing();
      const { status, output } = newPlugin(name);
      expect({ status, output }).toEqual({ status: 2, output: expect.stringContaining(why) });
      expect(output).not.toMatch(/^\s+at /m);
      expect(listing()).toEqual(before);
    },
  );

  it("refuses two names", () => {
    expect(newPlugin("one", "two").status).toBe(2);
  });

  it("copies the template into a plugin of that name and touches no file that exists", () => {
    const before = listing().filter(
      (path) => /\.\w+$/.test(path) && !LEFT_BEHIND.has(basename(dirname(path))),
    );
    const texts = new Map(
      filesAt("**/*").map((file) => [file, readFileSync(join(copy, file), "utf8")]),
    );
    expect(newPlugin("hello-limits")).toMatchObject({
      status: 0,
      output: expect.stringContaining("npm install"),
    });
    const created = listing().filter((path) => /\.\w+$/.test(path) && !before.includes(path));
    expect(created).toEqual([
      ".changeset/plugin-hello-limits.md",
      "plugins/hello-limits/README.md",
      "plugins/hello-limits/examples.ts",
      "plugins/hello-limits/package.d.json.ts",
      "plugins/hello-limits/package.json",
      "plugins/hello-limits/src/hello-limits.ts",
      "plugins/hello-limits/src/index.ts",
      "plugins/hello-limits/src/unwelcome-word.ts",
      "plugins/hello-limits/test/index.test.ts",
      "plugins/hello-limits/tsconfig.json",
      "test/contract/api/plugin-hello-limits.api.md",
    ]);
    const changed = [...texts].filter(
      ([file, text]) => readFileSync(join(copy, file), "utf8") !== text,
    );
    expect(changed.map(([file]) => file)).toEqual([]);
    const manifest: unknown = JSON.parse(
      readFileSync(join(copy, "plugins/hello-limits/package.json"), "utf8"),
    );
    expect(manifest).toMatchObject({ name: "@bylaw/plugin-hello-limits", version: "0.0.0" });
    expect(manifest).not.toHaveProperty("private");
    link("@bylaw/plugin-hello-limits", "plugins/hello-limits");
  });

  it("makes a plugin that the build finds and builds", () => {
    const ended = run([
      "node_modules/turbo/bin/turbo",
      "run",
      "build",
      "--filter=@bylaw/plugin-hello-limits",
      // Its dependencies are already built in the copy.
      "--only",
      "--force",
    ]);
    expect(ended.status, ended.output).toBe(0);
    expect(readdirSync(join(copy, "plugins/hello-limits/dist"))).toContain("hello-limits.js");
  });

  it("makes a plugin that passes lint, format and type checks", () => {
    const lint = run(["node_modules/oxlint/bin/oxlint", "--type-aware", "plugins/hello-limits"]);
    expect(lint.status, lint.output).toBe(0);
    const format = run([
      "node_modules/oxfmt/bin/oxfmt",
      "--check",
      "plugins/hello-limits",
      ".changeset",
    ]);
    expect(format.status, format.output).toBe(0);
  });

  it("makes a plugin whose own tests are found and pass", () => {
    const ended = run([
      "node_modules/vitest/vitest.mjs",
      "run",
      "--project",
      "plugins/hello-limits",
    ]);
    expect(ended.status, ended.output).toBe(0);
    expect(ended.output).toMatch(/Tests +[1-9]\d* passed/);
  });

  it("makes a plugin that passes the house rules", () => {
    // The code on the other pages has been compiled and run where they are from.
    for (const page of filesAt("**/*.md")) {
      const text = readFileSync(join(copy, page), "utf8");
      writeFileSync(join(copy, page), text.replaceAll(/^```ts\b.*/gm, "```"));
    }
    const ended = run([
      "node_modules/vitest/vitest.mjs",
      "run",
      "--project=test",
      "--exclude=**/new-plugin.test.ts",
      "--testNamePattern=hello-limits",
      "contract/",
    ]);
    expect(ended.status, ended.output).toBe(0);
    expect(ended.output).toMatch(/Tests +[1-9]\d passed/);
  });

  it("makes a plugin whose generated files are current", () => {
    expect(run(["tools/readme.ts", "--check", "plugins/hello-limits"])).toEqual({
      status: 0,
      output: "",
    });
    expect(run(["tools/api.ts", "--check", "plugins/hello-limits"])).toEqual({
      status: 0,
      output: "",
    });
  });
});
