import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { filesAt, root, textOf } from "./workspaces.ts";

interface Block {
  readonly page: string;
  readonly file: string;
  readonly text: string;
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const pages = [
  ...filesAt("*.md"),
  ...filesAt("docs/*.md"),
  ...filesAt("{packages,plugins,rulesets}/*/README.md"),
];
const blocks: readonly Block[] = pages.flatMap((page) => {
  let before = "";
  return Array.from(
    textOf(page).matchAll(/^```ts( continued)?\n([\s\S]*?)^```$/gm),
    ([, continued, own = ""], index) => {
      const text = continued === undefined ? own : `${before}${own}`;
      before = text;
      return {
        page: `${page} block ${index + 1}`,
        file: `${page.replaceAll("/", "--").replace(/\.md$/, "")}--${index + 1}`,
        text,
      };
    },
  );
});
const first = blocks.filter(({ file }) => file.endsWith("--1"));
const folder = temporaryFolder();

// The how-to pages of the site, which begin with something to paste.
const HOW_TO = ["docs/write-a-check.md", "docs/write-a-plugin.md"];

let compiled: Ended = { status: null, stdout: "not compiled", stderr: "" };
let ran: Ended = { status: null, stdout: "", stderr: "not run" };

// One process runs all blocks in turn, because it loads the packages once. It names each block when it has ended.
const RUN = `for (const file of ${JSON.stringify(first.map(({ file }) => file))}) {
  await import("./out/" + file + ".js").catch(console.error);
  console.error("ended: " + file);
}`;

beforeAll(() => {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const { file, text } of blocks) writeFileSync(join(folder, "src", `${file}.ts`), text);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        rootDir: "src",
        outDir: "out",
        moduleDetection: "force",
        declaration: false,
        declarationMap: false,
        typeRoots: ["node_modules/@types"],
      },
      include: ["src"],
    }),
  );
  compiled = node([join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"]);
  ran = node(["--input-type=module", "--eval", RUN]);
});

function node(args: readonly string[]): Ended {
  return spawnSync(process.execPath, [...args], { cwd: folder, encoding: "utf8" });
}

describe("the pages", () => {
  it("with instructions begin with a block to paste", () => {
    const missing = HOW_TO.filter((page) => /^```(\w*)$/m.exec(textOf(page))?.[1] !== "ts");
    expect(missing).toEqual([]);
  });

  it("have only TypeScript that compiles", () => {
    expect(compiled.stdout).toBe("");
    expect(compiled.status).toBe(0);
  });

  it.each(first.map((block) => [block.page, block]))("can be pasted and run: %s", (_, { file }) => {
    const errors = ran.stderr.split(/^ended: /m);
    const at = errors.findIndex((text) => text.startsWith(`${file}\n`));
    expect(at, ran.stderr).toBeGreaterThan(0);
    // What a block writes comes after the line of the block before it.
    expect(errors[at - 1]?.replace(/^\S+\n/, "")).toBe("");
  });

  it("leave nothing that fails or goes on when all have run", () => {
    expect(ran.status).toBe(0);
    expect(ran.stderr.trimEnd().split("\n").at(-1)).toBe(`ended: ${first.at(-1)?.file}`);
  });
});
