import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { policy } from "../src/index.ts";

const text = `
[[rules]]
name = "everything"
action = "deny"
effects = ["delete-below"]
paths = "."
[[rules]]
name = "inside"
action = "deny"
paths = "keys/**"
[[rules]]
name = "outputs"
action = "allow"
command = ["rm -r *", "mv *", "npm run build"]
paths = ["./[!.]*/[!.]*/dist{,/**}", "./[a-m]*/out{,/**}", "src/**"]
[[rules]]
name = "cat"
action = "allow"
command = "cat *"
paths = "**"
`;

let work = "";
beforeEach(() => {
  work = temporaryFolder();
  for (const path of [
    "packages/a/dist/x.js",
    "packages/b/dist/y.js",
    "lib/out/z",
    "src/a",
    "keys/k",
  ])
    create(path);
});

function create(path: string): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), "a\n");
}

const kernel = createKernel({ plugins: [policy({ text })] });

async function decided(command: string): Promise<string> {
  const place = { cwd: work, workspace: work, home: "/home/dev" };
  const call = { hook: "beforeToolCall", tool: "bash", args: { command }, ...place } as const;
  const { effect, rule } = await kernel.decide(call);
  return effect === "deny" ? `deny ${rule?.name}` : effect;
}

describe("an allow covers a glob by the names that it finds", () => {
  it.each([
    "rm -r packages/*/dist",
    "rm -r packages/*/dist packages/a/dist",
    "rm -r packages/*/dist && npm run build",
    "rm -r ./packages/*/dist/*",
    "rm -r packages/*/dist/*.js",
  ])("%s", async (line) => {
    expect(await decided(line)).toBe("allow");
  });

  it.each([
    ["could find others", "rm -r packages/*/*", () => {}],
    ["could find others of these letters", "rm -r ./*/out", () => {}],
    ["finds others", "rm -r packages/*/d*", () => create("packages/a/docs/x")],
    ["finds a link", "rm -r packages/*/dist", () => symlinkSync("/tmp", join(work, "packages/c"))],
    ["finds a hidden folder", "rm -r packages/*/dist", () => create("packages/.c/dist/x")],
    [
      "finds nothing",
      "rm -r packages/*/dist",
      () => rmSync(join(work, "packages"), { recursive: true }),
    ],
    ["finds what the line moves", "mv src/a packages/c/dist; rm -r packages/*/dist", () => {}],
  ])("unless it %s: %s", async (_, line, prepare) => {
    prepare();
    expect(await decided(line)).toBe("ask_user");
  });
});

describe("a deny of a folder", () => {
  it("is not about a few names in it", async () => {
    expect(await decided("rm -r ./*/*/dist")).toBe("allow");
    expect(await decided("rm -r ./p*")).toBe("ask_user");
  });

  it("is about all names in it", async () => {
    for (const line of ["rm -r ./*", "rm -r ."])
      expect([line, await decided(line)]).toEqual([line, "deny everything"]);
  });

  it("and of everything in it is about a few names", async () => {
    expect(await decided("cat keys/k*")).toBe("deny inside");
    expect(await decided("cat keys/*.none")).toBe("deny inside");
  });
});
