import { readFileSync } from "node:fs";
import { createKernel, type Decision, type Kernel, type ToolCall } from "@bylaw/kernel";
import { describe, expect, test } from "vitest";
import { policy } from "../src/index.ts";

const fixtures = new URL("fixtures/shell/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, fixtures), "utf8");

interface Case {
  readonly id: string;
  readonly class: string;
  readonly policy: string;
  readonly tool: string;
  readonly args?: ToolCall["args"];
  readonly args_raw?: string;
  readonly must?: string;
  readonly must_not?: string;
  readonly soft?: boolean;
  readonly why: string;
}

const contexts = JSON.parse(read("contexts.json")) as Readonly<Record<string, Partial<ToolCall>>>;
const cases = read("cases.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

const kernels = new Map<string, Kernel>();

async function decide({ policy: name, tool, args, args_raw }: Case): Promise<Decision> {
  let kernel = kernels.get(name);
  if (kernel === undefined) {
    const file = new URL(`policies/${name}.toml`, fixtures).href;
    kernels.set(name, (kernel = createKernel({ plugins: [policy({ files: [file], operator: true })] })));
  }
  const given = args_raw === undefined ? args : (JSON.parse(args_raw) as ToolCall["args"]);
  return kernel.decide({ hook: "beforeToolCall", tool, args: given, ...contexts[name] } as ToolCall);
}

// Text that is not JSON, or that has a key twice, never becomes a call: the border that reads the text refuses it.
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const TWICE = new Set(["json-raw-001", "json-raw-002", "json-raw-015"]);
const reachable = cases.filter(({ id, args_raw }) => !TWICE.has(id) && (args_raw === undefined || isJson(args_raw)));

// A line of more than one plain command waits for the package that reads shell lines: until then it is asked about, never allowed.
const isLine = ({ tool }: Case): boolean => tool === "run_shell_command";
const PLAIN = /^[A-Za-z0-9_@%+=:,./\- \t]+$/;

describe("calls of tools", () => {
  const firm = reachable.filter((one) => !isLine(one) && one.soft !== true);
  test("there are many", () => expect(firm.length).toBeGreaterThan(80));
  test.each(firm)("$id: $why", async (one) => {
    const { effect } = await decide(one);
    if (one.must === undefined) expect(effect).not.toBe(one.must_not);
    else expect(effect).toBe(one.must);
  });
});

describe("shell lines", () => {
  const firm = reachable.filter((one) => isLine(one) && one.soft !== true);
  test.each(firm.filter(({ must_not }) => must_not !== undefined))("$id is not $must_not: $why", async (one) => {
    expect((await decide(one)).effect).not.toBe(one.must_not);
  });
  test.each(firm.filter(({ must }) => must === "deny" || must === "ask_user"))("$id is not allowed: $why", async (one) => {
    expect((await decide(one)).effect).not.toBe("allow");
  });
  const plain = firm.filter(
    ({ must, args }) => must !== undefined && PLAIN.test(String((args as { command?: unknown } | undefined)?.command)),
  );
  // Wrappers are read later too; what they run is asked about.
  const wrapped = new Set([
    "control-flow-015",
    "ok-everyday-053",
    "ok-everyday-054",
    "ok-everyday-057",
    "ok-everyday-058",
    "ok-everyday-064",
  ]);
  test.each(plain.filter(({ id }) => !wrapped.has(id)))("$id is $must: $why", async (one) => {
    expect((await decide(one)).effect).toBe(one.must);
  });
  test.each(plain.filter(({ id }) => wrapped.has(id)))("$id is asked about", async (one) => {
    expect(await decide(one)).toMatchObject({ effect: "ask_user", code: "unknown_command" });
  });
});
