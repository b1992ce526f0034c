import {
  callTool,
  defineTool,
  toolNamed,
  type CallContext,
  type RunContext,
  type Tool,
} from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  annotations: { readOnlyHint: true },
  run: ({ a, b }) => ({ sum: a + b }),
});

describe("defineTool", () => {
  it("describes its arguments as JSON Schema without other members", () => {
    expect(add.input).toMatchObject({
      type: "object",
      required: ["a"],
      additionalProperties: false,
    });
    expect(add.annotations).toEqual({ readOnlyHint: true });
  });

  it("refuses names that a client would refuse, and tools without a description", () => {
    const define = (name: string, description = "Does."): unknown =>
      defineTool({ name, description, input: z.object({}), run: () => 1 });
    for (const name of ["", "1st", "a b", "a.b", "a/b", `a${"b".repeat(64)}`])
      expect(() => define(name)).toFailWith("BYLAW_TOOL_INVALID");
    expect(() => define("ok", "  ")).toFailWith("BYLAW_TOOL_INVALID");
    expect(() =>
      defineTool({
        name: "ok",
        description: "Does.",
        input: z.object({ at: z.date() }),
        run: () => 1,
      }),
    ).toFailWith("BYLAW_TOOL_INVALID");
  });

  it("can be in one list with tools that need more or less from their carrier", async () => {
    const ofRun = defineTool({
      name: "whose",
      description: "Says whose run it is.",
      input: z.object({}),
      run: (_, { run, agent }: RunContext<{ readonly run: string }>) => `${agent} in ${run.run}`,
    });
    const ofAny = defineTool({
      name: "who",
      description: "Says who calls.",
      input: z.object({}),
      run: (_, { agent }: CallContext) => agent,
    });
    const tools: readonly Tool<RunContext<{ readonly run: string }>>[] = [add, ofAny, ofRun];
    const context = { agent: "ann", run: { run: "r1" } };
    expect(
      await Promise.all(tools.map((tool) => callTool(tool, tool === add ? { a: 1 } : {}, context))),
    ).toEqual([{ sum: 2 }, "ann", "ann in r1"]);
    expect(toolNamed(tools, "who")).toBe(ofAny);
    expect(toolNamed(tools, "toString")).toBeUndefined();
  });
});

describe("callTool", () => {
  it("names every issue before anything runs", async () => {
    let ran = 0;
    const input = z.object({ path: z.string(), limit: z.number().int() });
    const tool = defineTool({
      name: "count",
      description: "Counts.",
      input,
      run: () => (ran += 1),
    });
    await expect(callTool(tool, { limit: 1.5, other: true }, {})).rejects.toMatchObject({
      code: "BYLAW_TOOL_ARGUMENTS_INVALID",
      message: expect.stringMatching(/`path`.*`limit`.*other/),
    });
    for (const args of [undefined, null, [], "text", 1]) {
      await expect(callTool(tool, args, {})).rejects.toFailWith("BYLAW_TOOL_ARGUMENTS_INVALID");
    }
    expect(ran).toBe(0);
  });

  it("answers with frozen data, and with null for undefined", async () => {
    const tool = defineTool({
      name: "nest",
      description: "Nests.",
      input: z.object({}),
      run: async () => ({ list: [{ at: 1 }] }),
    });
    const answer = await callTool(tool, {}, {});
    expect(answer).toEqual({ list: [{ at: 1 }] });
    expect(Object.isFrozen((answer as { list: readonly unknown[] }).list[0])).toBe(true);
    expect(
      await callTool(
        defineTool({ name: "none", description: "None.", input: z.object({}), run: () => {} }),
        {},
        {},
      ),
    ).toBeNull();
  });

  it.each([
    ["a class", () => new Map([[1, 2]])],
    ["a lone surrogate", () => "\ud800"],
    [
      "a cycle",
      () => {
        const round: Record<string, unknown> = {};
        round["round"] = round;
        return round;
      },
    ],
    ["too much", () => "x".repeat(1_001)],
  ])("refuses an answer with %s, and says that the tool ran", async (_, run) => {
    const tool = defineTool({ name: "odd", description: "Answers.", input: z.object({}), run });
    await expect(callTool(tool, {}, {}, { maxAnswer: 1_000 })).rejects.toMatchObject({
      code: "BYLAW_TOOL_ANSWER_INVALID",
      fix: expect.stringContaining("The tool did run"),
    });
  });
});
