import {
  chmodSync,
  existsSync,
  linkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { contractTree, createTreeCache, frozenFiles, treeDigest } from "../src/index.ts";
import { contractAt, folder, put } from "./kit.ts";

const digestOf = async (root: string): Promise<string> => (await treeDigest(root)).digest;

describe("the digest of a tree", () => {
  it("is the same for the same files, in any folder and with any times", async () => {
    const files = { "src/a.js": "1", "b c.txt": "2", "ä/ü": "3" };
    expect(await digestOf(folder(files))).toBe(await digestOf(folder(files)));
  });

  it.each([
    ["a byte", (root: string) => put(root, "src/a.js", "2")],
    ["a file more", (root: string) => put(root, "src/b.js", "")],
    ["a file less", (root: string) => rmSync(join(root, "src/a.js"))],
    ["another name", (root: string) => renameSync(join(root, "src/a.js"), join(root, "src/b.js"))],
    ["a file that became a program", (root: string) => chmodSync(join(root, "src/a.js"), 0o755)],
    [
      "a link in the place of a file",
      (root: string) => (
        rmSync(join(root, "src/a.js")),
        symlinkSync("c.js", join(root, "src/a.js"))
      ),
    ],
    ["a pipe", (root: string) => execFileSync("mkfifo", [join(root, "pipe")])],
    ["a file that .gitignore names", (root: string) => put(root, "build/out.js", "x")],
    [
      "sources in a folder named as one that tools fill",
      (root: string) => put(root, "src/coverage/a.js", "x"),
    ],
    ["a folder named venv that is none", (root: string) => put(root, "venv/a.py", "x")],
  ])("tells %s", async (_, change) => {
    const root = folder({ "src/a.js": "1", "src/c.js": "1", ".gitignore": "build/\n*.js\n" });
    const before = await digestOf(root);
    change(root);
    expect(await digestOf(root)).not.toBe(before);
  });

  it("detects a change that keeps the size and the modification time", async () => {
    const root = folder({ "a.js": "one" });
    const past = new Date(Date.now() - 3_600_000);
    utimesSync(join(root, "a.js"), past, past);
    const before = await digestOf(root);
    writeFileSync(join(root, "a.js"), "two");
    utimesSync(join(root, "a.js"), past, past);
    expect(await digestOf(root)).not.toBe(before);
  });

  it("excludes what tools fill, and nothing that only looks like it", async () => {
    const root = folder({ "a.js": "1", "packages/x/a.js": "1" });
    const before = await digestOf(root);
    for (const path of readCases<string>(import.meta, "left-out")) put(root, path, "x");
    put(root, "env/keep", "x");
    put(root, "venv/pyvenv.cfg", "x");
    expect((await treeDigest(root)).entries.map(({ path }) => path)).toEqual([
      "a.js",
      "env/keep",
      "packages/x/a.js",
    ]);
    rmSync(join(root, "env"), { recursive: true });
    expect(await digestOf(root)).toBe(before);
  });

  it("includes links as links, without reading their targets", async () => {
    const outside = folder({ secret: "1" });
    const root = folder({ "a.js": "1" });
    symlinkSync(outside, join(root, "out"));
    symlinkSync(".", join(root, "loop"));
    const before = await treeDigest(root);
    expect(before.entries.map(({ path, kind }) => [path, kind])).toEqual([
      ["a.js", "file"],
      ["loop", "link"],
      ["out", "link"],
    ]);
    put(outside, "secret", "2");
    expect(await digestOf(root)).toBe(before.digest);
  });

  it("is the same with and without the cache", async () => {
    const root = folder({ "a.js": "1", "b.js": "2" });
    const cache = createTreeCache();
    // In an hour, all of this is old enough to be cached.
    const now = (): number => Date.now() + 3_600_000;
    for (const content of ["1", "2", "3"]) {
      put(root, "a.js", content);
      for (let times = 0; times < 2; times += 1) {
        expect((await treeDigest(root, { cache, now })).digest).toBe(
          (await treeDigest(root, { cache: createTreeCache() })).digest,
        );
      }
    }
    linkSync(join(root, "a.js"), join(root, "c.js"));
    expect((await treeDigest(root, { cache, now })).digest).toBe(
      (await treeDigest(root, { cache: createTreeCache() })).digest,
    );
    expect(cache.files.size).toBe(3);
  });

  it("caches nothing that changed just now, and reads everything with `fresh`", async () => {
    const root = folder({ "a.js": "1" });
    const cache = createTreeCache();
    const right = (await treeDigest(root, { cache })).digest;
    expect(cache.files.size).toBe(0);
    await treeDigest(root, { cache, now: () => Date.now() + 3_600_000 });
    for (const [path, { state }] of cache.files)
      cache.files.set(path, { state, digest: `sha256:${"0".repeat(64)}` });
    expect((await treeDigest(root, { cache })).digest).not.toBe(right);
    expect((await treeDigest(root, { cache, fresh: true })).digest).toBe(right);
  });

  it("stops at too many files, too many bytes, and unreadable files", async () => {
    const root = folder({ "a.js": "123", "b.js": "456" });
    await expect(treeDigest(root, { maxFiles: 1 })).rejects.toFailWith("BYLAW_TREE_TOO_LARGE");
    await expect(treeDigest(root, { maxBytes: 5 })).rejects.toFailWith("BYLAW_TREE_TOO_LARGE");
    await expect(treeDigest(join(root, "none"))).rejects.toFailWith("BYLAW_WORKSPACE_MISSING");
    await expect(treeDigest(join(root, "a.js"))).rejects.toFailWith("BYLAW_WORKSPACE_MISSING");
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(odd, "a name that is no text");
    // Some file systems reject or repair such names themselves.
    if (existsSync(odd) && statSync(odd).isFile())
      await expect(treeDigest(root)).rejects.toFailWith("BYLAW_TREE_UNREADABLE");
  });
});

it("the tree under a contract excludes only the report and what Bylaw itself writes", async () => {
  const root = folder({ "src/a.js": "1", "rules/workflow.yaml": "" });
  const test_command = { argv: ["x"], format: "junit", report: "out/report.xml" };
  const contract = contractAt(join(root, "rules/workflow.yaml"), { test_command });
  const before = (await contractTree(contract, root)).digest;
  for (const path of readCases<string>(import.meta, "left-out-files")) put(root, path, "x");
  expect((await contractTree(contract, root)).digest).toBe(before);
  for (const path of readCases<string>(import.meta, "counted-files")) {
    put(root, path, "x");
    expect((await contractTree(contract, root)).digest, path).not.toBe(before);
    rmSync(join(root, path));
  }
});

describe("frozen files", () => {
  const frozenOf = async (root: string) => {
    const contract = contractAt(join(root, "workflow.yaml"));
    return frozenFiles(contract, await contractTree(contract, root));
  };

  it("are test files, files of the contract's patterns, and the configuration of the runner", async () => {
    const root = folder({
      "checks/deep/add.js": "",
      "checks/notes.md": "",
      "src/add.js": "",
      "src/add.test.js": "",
      "lib/__tests__/x.ts": "",
      "tests/data/in.json": "",
      "test_add.py": "",
      "pkg/add_test.go": "",
      "conftest.py": "",
      "package.json": "{}",
      "packages/x/package.json": "{}",
      "vitest.config.ts": "",
      ".mocharc.json": "",
      "pytest.ini": "",
      "tox.ini": "",
      ".npmrc": "",
      "pyproject.toml": "",
      "Cargo.toml": "",
      "pytest.py": "",
      "unittest/mock.py": "",
      "README.md": "",
      "src/contest.js": "",
    });
    const not = ["README.md", "checks/notes.md", "src/add.js", "src/contest.js", "workflow.yaml"];
    const tree = await contractTree(contractAt(join(root, "workflow.yaml")), root);
    const expected = tree.entries.map(({ path }) => path).filter((path) => !not.includes(path));
    expect(Object.keys(await frozenOf(root))).toEqual(expected);
    expect(expected).toHaveLength(18);
  });

  const manifest = {
    name: "x",
    version: "1.0.0",
    scripts: { test: "node --test" },
    type: "module",
    dependencies: { a: "1" },
  };
  const toml =
    '[project]\nname = "x"\ndependencies = ["a"]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';
  it.each(readCases<[string, string, boolean]>(import.meta, "manifest-changes"))(
    "keep of %s what steers tests: %j stays the same: %s",
    async (name, text, same) => {
      const root = folder({
        "package.json": JSON.stringify(manifest),
        "pyproject.toml": toml,
        "go.mod": "module x\n\ngo 1.23\n\nrequire a v1\n",
      });
      const before = (await frozenOf(root))[name];
      put(root, name, text);
      const after = (await frozenOf(root))[name];
      expect(before).toMatch(/^sha256:/);
      expect(after === before).toBe(same);
    },
  );

  it("include the target of a link", async () => {
    const root = folder({ "src/real.js": "1" });
    put(root, "checks/x.js", "");
    rmSync(join(root, "checks/x.js"));
    symlinkSync("../src/real.js", join(root, "checks/x.js"));
    const before = (await frozenOf(root))["checks/x.js"];
    put(root, "src/real.js", "2");
    const after = (await frozenOf(root))["checks/x.js"];
    expect(before).toMatch(/^sha256:/);
    expect(after).not.toBe(before);
  });
});
