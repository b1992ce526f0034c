import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createKernel, defineRuleset, type ToolCall } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { compiledPolicy } from "@bylaw/policy-language";
import { expect, it } from "vitest";
import { everyday } from "../src/index.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const read = (path: string): string => readFileSync(at(path), "utf8");

it("ships the compiled form of its policy", () => {
  expect(JSON.parse(read("../dist/policy.compiled.json"))).toEqual(
    JSON.parse(JSON.stringify(compiledPolicy(read("../policy.toml")))),
  );
});

it("decides and explains every case as its text does", async () => {
  const fromText = defineRuleset({
    name: everyday.name,
    extends: [...(everyday.extends ?? [])],
    plugins: [policy({ files: [at("../policy.toml")] })],
  });
  const kernels = [everyday, fromText].map((ruleset) => createKernel({ extends: [ruleset] }));
  const calls = read("../cases.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Omit<ToolCall, "hook">);
  expect(calls.length).toBeGreaterThan(400);
  for (const { tool, args, cwd = "/", home = "/" } of calls) {
    const call: ToolCall = { hook: "beforeToolCall", tool, args, cwd, workspace: cwd, home };
    const [first, second] = await Promise.all(
      kernels.map(async (kernel) => await kernel.explain(call)),
    );
    expect({ call, explained: first }).toEqual({ call, explained: second });
  }
});
