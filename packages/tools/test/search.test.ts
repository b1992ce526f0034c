import micromatch from "micromatch";
import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folder, toolsIn } from "./kit.ts";

const INVALID = { code: "BYLAW_PATTERN_INVALID" };
const tree = folder({
  "README.md": "# Refunds\nHow money comes back.\n",
  "src/refund.ts":
    "export function refund(order: Order): Money {\n  return limit(order.total);\n}\n",
  "src/deep/limit.ts":
    "// The limit of a refund\r\nexport const limit = (total: Money) => total;\r\n",
  "src/.hidden.ts": "hidden refund",
  "node_modules/dep/refund.js": "refund",
  ".git/HEAD": "refund",
  "image.png": Uint8Array.of(0x89, 0, 1),
});
const call = toolsIn(tree);

// Each takes hundreds of milliseconds and megabytes to compile, so it must be refused before compiling.
const HARD_TO_COMPILE = readCases<string>(import.meta, "hard-compile");
const FINE = [
  String.raw`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`,
  String.raw`\x{20ac}|\p{Greek}{2}|[[:alpha:]_-]+\Q{1000}\E`,
  String.raw`^\s*(?:export )?(?:async )?function \w{1,64}\(`,
  "(a{10}){90}",
];

describe("grep", () => {
  it("finds lines with their place, in the order of file names", async () => {
    expect(await call("grep", { pattern: "lim[a-z]+\\b", path: "src" })).toEqual({
      ...{
        status: "success",
        pattern: "lim[a-z]+\\b",
        path: "src",
        total: 3,
        truncated: null,
        skipped_files: 0,
      },
      matches: [
        { file: "src/deep/limit.ts", line: 1, content: "// The limit of a refund" },
        {
          file: "src/deep/limit.ts",
          line: 2,
          content: "export const limit = (total: Money) => total;",
        },
        { file: "src/refund.ts", line: 2, content: "  return limit(order.total);" },
      ],
    });
    const files = async (args: object): Promise<readonly string[]> =>
      (await call("grep", args)).matches.map(({ file }) => file);
    expect(await files({ pattern: "refund" })).toEqual([
      "src/.hidden.ts",
      "src/deep/limit.ts",
      "src/refund.ts",
    ]);
    expect(await files({ pattern: "REFUND", ignore_case: true, glob: "*.md" })).toEqual([
      "README.md",
    ]);
    expect(await files({ pattern: "refund", path: "src", glob: "deep/**" })).toEqual([
      "src/deep/limit.ts",
    ]);
    expect(await files({ pattern: "refund", path: "src/refund.ts" })).toEqual(["src/refund.ts"]);
    expect(await files({ pattern: "refund", path: "node_modules/dep" })).toEqual([
      "node_modules/dep/refund.js",
    ]);
    expect(await files({ pattern: "$", path: "src/refund.ts" })).toHaveLength(3);
  });

  it("stops at its limits and says at which one", async () => {
    const many = toolsIn(
      folder(
        Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, "line\n".repeat(50)])),
      ),
    );
    expect(await many("grep", { pattern: "line", limit: 7 })).toMatchObject({
      total: 7,
      truncated: "found more than 7 lines",
    });
    const bound = (limits: object): Promise<unknown> =>
      toolsIn(tree, { limits })("grep", { pattern: "refund" }).then(({ truncated }) => truncated);
    expect(await bound({ files: 1 })).toBe("read 1 files");
    expect(await bound({ searched: 20 })).toBe("read 20 bytes");
    expect(await bound({ search_ms: -1 })).toBe("took -1 ms");
    expect(await bound({ answer: 40 })).toBe("found more than fits");
    expect(
      await toolsIn(tree, { limits: { file: 30 } })("grep", { pattern: "refund" }),
    ).toMatchObject({ total: 1, skipped_files: 3 });
  });

  it("refuses patterns that could take long, and shows only a part of a long line", async () => {
    for (const pattern of [
      "(?=a)b",
      "(a)\\1",
      "a{1001}",
      "(",
      "a{999}b{999}c{999}",
      "(?:a|b|aa|ab|ba){1000}c",
      "x".repeat(1_001),
    ])
      await expect(call("grep", { pattern }), pattern).rejects.toMatchObject(INVALID);
    for (const pattern of HARD_TO_COMPILE)
      for (const ignore_case of [true, false])
        await expect(call("grep", { pattern, ignore_case }), pattern).rejects.toThrow(
          / has \d+ (?:steps|ranges); at most/,
        );
    for (const pattern of FINE)
      await expect(call("grep", { pattern, ignore_case: true }), pattern).resolves.toMatchObject({
        status: "success",
      });
    const long = toolsIn(
      folder({ long: `${"a".repeat(300_000)}!\n`, wide: `${"x".repeat(10_000)}needle` }),
    );
    expect(await long("grep", { pattern: "(a+)+(a|aa)+$", path: "long" })).toMatchObject({
      status: "success",
    });
    const hard = toolsIn(folder({ hard: `c!${"ab".repeat(200_000)}\n`.repeat(3) }), {
      limits: { search_ms: 2_000 },
    });
    expect(await hard("grep", { pattern: "(a|b)*a(a|b){900}c" })).toMatchObject({ total: 0 });
    expect((await long("grep", { pattern: "needle" })).matches[0]?.content.length).toBeLessThan(
      600,
    );
  });

  it("ends with the signal of the caller", async () => {
    const stopped = toolsIn(tree, {}, { signal: AbortSignal.abort(new Error("enough")) });
    for (const [tool, args] of [
      ["grep", { pattern: "a" }],
      ["glob", { pattern: "**" }],
      ["search_codebase", { query: "a" }],
    ] as const)
      await expect(stopped(tool, args)).rejects.toThrow("enough");
  });
});

describe("glob", () => {
  const files = async (pattern: string, path = "."): Promise<unknown> =>
    (await call("glob", { pattern, path })).files;

  it("finds files by name, relative to the folder", async () => {
    expect(await files("*.md")).toEqual(["README.md"]);
    expect(await files("**/*.ts")).toEqual([
      "src/.hidden.ts",
      "src/deep/limit.ts",
      "src/refund.ts",
    ]);
    expect(await files("*.ts", "src")).toEqual(["src/.hidden.ts", "src/refund.ts"]);
    expect(await files("src/{refund,deep/limit}.ts")).toEqual([
      "src/deep/limit.ts",
      "src/refund.ts",
    ]);
    expect(await files("**/node_modules/**")).toEqual([]);
    expect(await call("glob", { pattern: "**", limit: 2 })).toMatchObject({
      total: 2,
      truncated: "found more than 2 files",
    });
  });

  it("refuses patterns that leave the folder, and extended syntax (WF-144)", async () => {
    for (const pattern of ["../*", "a/../../b", "/etc/*", "!(a)", "@(a|b)", "!a", "a\\*", "+(a)"])
      await expect(files(pattern), pattern).rejects.toMatchObject(INVALID);
    expect(
      await toolsIn(folder({ "(auth)/page.tsx": "" }))("glob", { pattern: "(auth)/*" }),
    ).toMatchObject({ total: 1 });
  });

  it("matches the same as micromatch, in time that is linear in the name", async () => {
    const piece = fc.constantFrom("a", "b", "*", "?", "c.", "{a,b}", "{a,b*}", "[ab]", "[a-c]x");
    const segment = fc.oneof(
      fc.constant("**"),
      fc
        .array(piece, { minLength: 1, maxLength: 3 })
        .map((parts) => parts.join("").replaceAll("**", "*")),
    );
    const glob = fc
      .array(segment, { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join("/"))
      // For micromatch a file is its own folder: `a/**` matches `a`.
      .filter((text) => !text.endsWith("/**"));
    const name = fc
      .stringMatching(/^[abcx.]{1,3}$/)
      .filter((text) => text !== "." && text !== "..");
    const paths = fc.uniqueArray(
      fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/")),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(glob, paths, async (pattern, given) => {
        const apart = given.filter((path) => !given.some((other) => other.startsWith(`${path}/`)));
        const at = folder(Object.fromEntries(apart.map((path) => [path, ""])));
        const found = (await toolsIn(at)("glob", { pattern })).files;
        expect(new Set(found)).toEqual(new Set(micromatch(apart, pattern, { dot: true })));
      }),
      { numRuns: 40 },
    );
    const long = folder({ ["a".repeat(250)]: "" });
    expect(await toolsIn(long)("glob", { pattern: `${"*a".repeat(120)}*b` })).toMatchObject({
      total: 0,
    });
  });
});

it("search_codebase finds the files that have most of the words, best first, with their lines", async () => {
  const { results } = await call("search_codebase", { query: "What is the LIMIT of a refund?" });
  expect(results.map(({ path }) => path)).toEqual([
    "src/deep/limit.ts",
    "src/refund.ts",
    "README.md",
    "src/.hidden.ts",
  ]);
  expect(results[0]?.matches[0]).toEqual({ line: 1, content: "// The limit of a refund" });
  expect(await call("search_codebase", { query: "refund", limit: 1 })).toMatchObject({ total: 1 });
  expect(await call("search_codebase", { query: "?!" })).toMatchObject({ results: [] });
});
