import { createKernel, type Json } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { argsFrom, callFromLine } from "../src/decide/call.ts";

const DEFAULTS = { cwd: "/project", home: "/home/me", interactive: true } as const;

test("a line without `cwd` gets the working directory, as its workspace too", () => {
  expect(callFromLine({ id: 7, tool: "t", args: {} }, DEFAULTS)).toEqual({
    id: 7,
    call: {
      hook: "beforeToolCall",
      id: "7",
      tool: "t",
      args: {},
      cwd: "/project",
      workspace: "/project",
      home: "/home/me",
      interactive: true,
    },
  });
});

test("the values of a line win over the defaults, and its `cwd` is its workspace", () => {
  const { call } = callFromLine(
    { tool: "t", args: {}, cwd: "/other", agent: "b", interactive: false, approval_mode: "yolo" },
    { ...DEFAULTS, agent: "a", approval_mode: "ask" },
  );
  expect(call).toMatchObject({
    cwd: "/other",
    workspace: "/other",
    agent: "b",
    interactive: false,
    approval_mode: "yolo",
  });
});

test.each(readCases<[Json, string]>(import.meta, "no-calls"))(
  "%j is not a call",
  (line, message) => {
    expect(() => callFromLine(line, DEFAULTS)).toThrow(message);
  },
);

test("the kernel accepts exactly the calls whose values are all valid", async () => {
  const kernel = createKernel({});
  const good = { tool: "t", args: {}, server: "s", servers: { s: ["t"] }, agent: "a", phase: "P" };
  expect(await kernel.prepare(callFromLine(good, DEFAULTS).call)).toMatchObject(good);
  for (const key of readCases<string>(import.meta, "good-values")) {
    await expect(
      kernel.prepare(callFromLine({ ...good, [key]: 5 }, DEFAULTS).call),
    ).rejects.toThrow();
  }
});

test("an error about arguments names their origin", () => {
  expect(() => argsFrom('{"a":1,"a":2}', "args_raw")).toThrow(
    "The key `a` appears twice (line 1, column 8) in `args_raw`",
  );
});
