import * as fc from "fast-check";
import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { policyOf } from "./toml.ts";

const names = readCases<string>(import.meta, "names");
const glob = fc
  .tuple(
    fc.constantFrom("", "/", "~/", "./", "**/"),
    fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
  )
  .map(([start, segments]) => start + segments.join("/"))
  .filter((text) => !text.includes("**/**"));
const path = fc
  .tuple(
    fc.constantFrom("", "/", "~/", "/w/p/", "/W/p/", "/home/x/"),
    fc.array(
      fc.constantFrom("a", "A", "b", ".env", ".ENV", "x.pem", "\u00e9", "E\u0301", "w", "p"),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([start, segments]) => start + segments.join("/"));
const call = fc.oneof(
  path.map((file) => ({ tool: "read_file", args: { path: file } })),
  fc
    .tuple(fc.constantFrom("cat ", "rm -r ", "grep -r x ", "cat *", "ls **/a*"), path)
    .map(([words, file]) => ({ tool: "bash", args: { command: words + file } })),
);

const isDenied = (globs: readonly string[], subject: Partial<ToolCall>): boolean => {
  const pool = compilePolicy([policyOf([{ name: "r", action: "deny", paths: globs }])]);
  const whole = { hook: "beforeToolCall", cwd: "/w/p", workspace: "/w/p", home: "/home/x" };
  return pool.evaluate({ ...whole, ...subject } as ToolCall) !== undefined;
};

test("a deny with many globs matches what any of them matches", () => {
  fc.assert(
    fc.property(fc.array(glob, { minLength: 1, maxLength: 6 }), call, (globs, subject) => {
      const each = globs.map((one) => isDenied([one], subject));
      expect(isDenied(globs, subject)).toBe(each.includes(true));
    }),
    { numRuns: 600 },
  );
});
