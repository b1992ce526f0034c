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

const OTHERWISE: ReadonlyMap<string, string> = new Map([
  ["tool-args-123", "allow"],
  ["json-raw-010", "allow"],
  ["ok-tool-args-029", "ask_user"],
]);

const kernels = new Map<string, Kernel>();

async function decide({ policy: name, tool, args, args_raw }: Case): Promise<Decision> {
  let kernel = kernels.get(name);
  if (kernel === undefined) {
    const file = new URL(`policies/${name}.toml`, fixtures).href;
    kernels.set(
      name,
      (kernel = createKernel({ plugins: [policy({ files: [file], operator: true })] })),
    );
  }
  const given = args_raw === undefined ? args : (JSON.parse(args_raw) as ToolCall["args"]);
  return kernel.decide({
    hook: "beforeToolCall",
    tool,
    args: given,
    ...contexts[name],
  } as ToolCall);
}

// Text that is not JSON, or has a key twice, never becomes a call: the code that parses it refuses it.
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const TWICE = new Set(["json-raw-001", "json-raw-002", "json-raw-015"]);
const reachable = cases.filter(
  ({ id, args_raw }) => !TWICE.has(id) && (args_raw === undefined || isJson(args_raw)),
);

const isLine = ({ tool }: Case): boolean => tool === "run_shell_command";
const ofKind = (line: boolean): readonly Case[] =>
  reachable.filter((one) => isLine(one) === line && one.soft !== true);

async function check(one: Case): Promise<void> {
  const { effect } = await decide(one);
  if (one.must === undefined) expect(effect).not.toBe(one.must_not);
  else expect(effect).toBe(one.must);
}

describe("calls of tools", () => {
  test("there are many", () => expect(ofKind(false).length).toBeGreaterThan(80));
  test.each(ofKind(false))("$id: $why", check);
});

describe("shell lines", () => {
  test("there are many", () => expect(ofKind(true).length).toBeGreaterThan(400));
  test.each(ofKind(true))("$id: $why", check);
});

// The results depend on a choice, and these tests fix that choice.
describe("lines that depend on a choice", () => {
  const soft = reachable.filter((one) => one.soft === true);
  test.each(soft.filter(({ id }) => !OTHERWISE.has(id)))("$id: $why", check);
  test.each(soft.filter(({ id }) => OTHERWISE.has(id)))(
    "$id is decided differently",
    async (one) => {
      expect((await decide(one)).effect).toBe(OTHERWISE.get(one.id));
    },
  );
});
