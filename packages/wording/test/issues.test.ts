import { describeIssues } from "../src/index.ts";
import { expect, it } from "vitest";
import { z } from "zod";

const kinds = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), path: z.string() }),
  z.object({ kind: z.literal("url"), url: z.url() }),
]);

it.each<[sentence: string, schema: z.ZodType, given: unknown]>([
  ["`port` must be a number", z.object({ port: z.number() }), { port: "80" }],
  ["`port` is missing and must be a number", z.object({ port: z.number() }), {}],
  ["the settings must be an object", z.object({}), 1],
  ["unknown key `a\\u{a}b\\u{202e}'c'`", z.strictObject({}), { "a\nb\u202e`c`": 1 }],
  ["`a\\u{1b}[2J` must be a number", z.record(z.string(), z.number()), { "a\u001b[2J": "x" }],
  ["unknown key `prot`", z.strictObject({}), { prot: 1 }],
  [
    "unknown keys `a`, `b` in `tls`",
    z.object({ tls: z.strictObject({}) }),
    { tls: { a: 1, b: 2 } },
  ],
  ["`mode` must be `ask` or `yolo`", z.object({ mode: z.enum(["ask", "yolo"]) }), { mode: "no" }],
  ["`names.1` must be text", z.object({ names: z.array(z.string()) }), { names: ["a", 1] }],
  ["the settings must not be empty", z.array(z.string()).min(1), []],
  ["the settings must have at most 2 characters", z.string().max(2), "abc"],
  ["the settings must have exactly 2 items", z.array(z.string()).length(2), []],
  ["the settings must be more than 0", z.number().positive(), 0],
  ["the settings must be at most 9", z.number().max(9), 10],
  ["the settings must be a whole number", z.int(), 1.5],
  ["the settings must be a multiple of 5", z.number().multipleOf(5), 3],
  ["the settings must be text or a list", z.union([z.string(), z.array(z.string())]), 1],
  ["`1` must be text", z.union([z.string(), z.array(z.string())]), ["a", 1]],
  ["`kind` must be `file` or `url`", kinds, { kind: "ftp" }],
  ["`url` must be a URL", kinds, { kind: "url", url: "x" }],
  ["the settings must match `/^a+$/`", z.string().regex(/^a+$/), "b"],
  ["the settings must begin with `$.`", z.string().startsWith("$."), "b"],
  ["the name `b` must match `/^a/`", z.record(z.string().regex(/^a/), z.any()), { b: 1 }],
  ["the settings must not be blank", z.string().refine(() => false, "must not be blank"), ""],
  ["the settings must be 16 digits", z.string().regex(/\d{16}/, "expected 16 digits"), ""],
  ["the settings cannot be used as given", z.string().refine(() => false), ""],
  [
    "`a` must be text; `b` must be text",
    z.object({ a: z.string(), b: z.string() }),
    { a: 1, b: 2 },
  ],
])("says %s", (sentence, schema, given) => {
  const { error } = schema.safeParse(given);
  expect(describeIssues(error ?? { issues: [] }, "the settings")).toBe(sentence);
});

it("lists the first ten issues, and the number of others", () => {
  const { error } = z.array(z.string()).safeParse(Array.from({ length: 12 }, () => 1));
  expect(describeIssues(error ?? { issues: [] })).toMatch(/`9` must be text; and 2 more$/);
});
