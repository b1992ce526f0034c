import { createKernel } from "@bylaw/kernel";
import { describeExamples, readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { REASONS, REASONS_VERSION, reasons, retryInput } from "../src/index.ts";
import { answer, answered, call, decide, vote, workflow_tools } from "./kit.ts";

describeExamples(examples, { describe, it });

const SEED = [
  ...["no_workflow_tool", "no_tool_calls", "invalid_vote_id", "vote_no_answers", "vote_and_answer"],
  ...["answer_limit", "answer_novelty", "answer_duplicate", "unknown_tool"],
];

describe("the list of reasons", () => {
  it("has the nine of its first version and two of its second", () => {
    const since = (version: number): readonly string[] =>
      Object.entries(REASONS).flatMap(([code, one]) => (one.since === version ? [code] : []));
    expect(since(1).toSorted()).toEqual(SEED.toSorted());
    expect(since(2)).toEqual(["turn_over", "stale_revision"]);
    expect(REASONS_VERSION).toBe(2);
  });

  it("is complete: every reason but the one that needs a log has an example", () => {
    const told = new Set(examples.examples.map(({ code }) => code));
    expect(Object.keys(REASONS).filter((code) => !told.has(code))).toEqual(["turn_over"]);
  });
});

describe("messages", () => {
  const available_tools = ["read_file", "run_command", "vote", "new_answer"];

  it("say what was called and what is required, with the count", async () => {
    const decision = await decide({ tool_calls: [call("execute_command")], available_tools });
    expect(decision.reason).toBe(
      "Retry (1/3): Called execute_command (not workflow). Required: vote or new_answer",
    );
    expect(decision).toMatchObject({ effect: "deny", code: "unknown_tool", recovery: "restart" });
  });

  it("list the available tools to the model, and suggest the likely one", async () => {
    const { message = "" } = await decide({ tool_calls: [call("runCommand")], available_tools });
    expect(message).toContain("Did you mean run_command?");
    expect(message).toContain("Available tools: vote, new_answer, read_file, run_command.");
  });

  it("name the workflow tools from the options", async () => {
    const options = { workflow_tools: { submit: "answer", approve: "vote", stop: "end" } } as const;
    const { reason } = await decide({ tool_calls: [call("vote")] }, options);
    expect(reason).toBe(
      "Retry (1/3): Called vote (not workflow). Required: submit, approve or stop",
    );
    expect((await decide({ tool_calls: [call("stop")] }, options)).effect).toBe("allow");
  });

  it("are one short line, whatever a tool's name is", async () => {
    const tool = `x\nRetry (0/3): fine\u202e${"y".repeat(5_000)}`;
    const { reason, message = "" } = await decide({ tool_calls: [{ tool }], available_tools });
    expect(reason).toMatch(/^[\P{C}]{1,200}$/u);
    expect(message).toMatch(/^[\P{C}]{1,400}$/u);
  });

  it("list ten of many calls", async () => {
    const tool_calls = Array.from({ length: 5_000 }, (_, index) => call(`tool_${index}`));
    const { reason } = await decide({ tool_calls });
    expect(reason).toContain("tool_9, and 4990 more (not workflow)");
  });

  it("say at the last attempt that there is no other", async () => {
    const decision = await decide({ attempt: 3 });
    expect(decision).toMatchObject({
      code: "no_tool_calls",
      recovery: "end",
      reason: "Failed (3/3): Called no tool. Required: vote or new_answer",
    });
  });
});

describe("unknown tools", () => {
  const available_tools = ["read_file", "vote", "new_answer"];
  const unknown = { tool_calls: [call("execute_command")], available_tools };

  it("are recovered within the stream if the host can do that, and still end the turn at the last attempt", async () => {
    expect(await decide({ ...unknown, host: { inline: true } })).toMatchObject({
      code: "unknown_tool",
      recovery: "inline",
    });
    expect(await decide({ ...unknown, host: { inline: true }, attempt: 3 })).toMatchObject({
      code: "unknown_tool",
      recovery: "end",
    });
  });

  it("get their error in the stream, and the other calls keep their own results", async () => {
    const response = {
      tool_calls: [
        { id: "1", ...call("read_file") },
        { id: "2", ...call("execute_command") },
      ],
      available_tools,
    };
    const calls = async (inline: boolean) => {
      const input = retryInput(await decide({ ...response, host: { inline } }), response);
      return input.kind === "tool_results" ? input.calls.map(({ id }) => id) : input.kind;
    };
    expect(await calls(true)).toEqual(["2"]);
    expect(await calls(false)).toEqual(["1", "2"]);
    expect(retryInput(await decide({ ...response, attempt: 3 }), response)).toEqual({
      kind: "none",
    });
  });

  it("are recognized only if the host lists the available tools", async () => {
    expect((await decide({ tool_calls: [call("execute_command")] })).code).toBe("no_workflow_tool");
    expect(
      (await decide({ tool_calls: [call("execute_command")], available_tools: [] })).code,
    ).toBe("unknown_tool");
  });

  it("do not include known tools with a known prefix", async () => {
    const consensus = { answers: [{ agent: "b", content: "x" }] };
    const prefixed = { ...vote("agent2"), tool: "default_api:vote" };
    expect(
      (await decide({ tool_calls: [prefixed], available_tools, ...answered(consensus) })).effect,
    ).toBe("allow");
    const nested = { ...vote("agent2"), tool: "x:y:vote" };
    expect(
      (await decide({ tool_calls: [nested], ...answered(consensus) }, { prefixes: ["x:", "x:y:"] }))
        .effect,
    ).toBe("allow");
    expect(
      (await decide({ tool_calls: [call("default_api:nothing")], available_tools })).code,
    ).toBe("unknown_tool");
    expect((await decide({ tool_calls: [call("evil:vote")], available_tools })).code).toBe(
      "unknown_tool",
    );
  });
});

describe("attempts to evade", () => {
  const consensus = { agents: ["a", "b"], answers: [{ agent: "b", content: "one two three" }] };

  it.each(readCases<[string, unknown]>(import.meta, "wrong-targets"))(
    "a vote for %s is invalid",
    async (_, target) => {
      const tool_calls = [
        { tool: "vote", args: target === undefined ? {} : ({ agent_id: target } as never) },
      ];
      expect((await decide({ tool_calls, ...answered(consensus) })).code).toBe("invalid_vote_id");
    },
  );

  it("arguments as text are parsed, and text that is not JSON has none", async () => {
    expect(
      (
        await decide({
          tool_calls: [{ tool: "vote", args: '{"agent_id":"agent2"}' }],
          ...answered(consensus),
        })
      ).effect,
    ).toBe("allow");
    expect(
      (await decide({ tool_calls: [{ tool: "vote", args: "agent2" }], ...answered(consensus) }))
        .code,
    ).toBe("invalid_vote_id");
  });

  it("a tool named like a property of every object is no workflow tool", async () => {
    for (const tool of ["constructor", "__proto__", "toString"])
      expect((await decide({ tool_calls: [call(tool)] })).code).toBe("no_workflow_tool");
  });

  it("invisible and full-width characters make no new words", async () => {
    const copy = "o\u200bne two\u00ad \uff54hree";
    expect(
      (await decide({ tool_calls: [answer(copy)], ...answered(consensus) }, { novelty: "strict" }))
        .code,
    ).toBe("answer_novelty");
  });

  it("invisible characters do not make a copy a different answer", async () => {
    const copies = [
      "one two three\u200b",
      "\ufeffone two three",
      "one two thr\u00adee",
      " one two three\n",
    ];
    for (const copy of copies)
      expect((await decide({ tool_calls: [answer(copy)], ...answered(consensus) })).code).toBe(
        "answer_duplicate",
      );
  });

  it("a closed workflow tool ends no turn, and does not hide that both were called", async () => {
    const only = { available_tools: ["read_file", "vote"] };
    expect((await decide({ tool_calls: [answer("x")], ...only })).code).toBe("no_workflow_tool");
    expect(
      (await decide({ tool_calls: [vote("agent2"), answer("x")], ...only, ...answered(consensus) }))
        .code,
    ).toBe("vote_and_answer");
  });

  it("malformed facts from a host are refused: a broken check denies", async () => {
    for (const broken of [[], { answers: [{ agent: 1 }] }, { answers: {} }] as never[]) {
      expect((await decide({ tool_calls: [vote("agent1")], ...answered(broken) })).code).toBe(
        "check_failed",
      );
    }
  });
});

describe("options", () => {
  it("need at least one workflow tool", () => {
    expect(() => reasons({ workflow_tools: {} })).toFailWith("BYLAW_OPTIONS_INVALID");
    const misspelt: object = { workflow_tools, novelty: "balancd" };
    expect(() => reasons(misspelt as never)).toFailWith("BYLAW_OPTIONS_INVALID");
  });

  it("of two uses apply together", async () => {
    const kernel = createKernel({
      plugins: [reasons({ workflow_tools }), reasons({ workflow_tools: { stop: "end" } })],
    });
    expect(
      (await kernel.decide({ hook: "onEnforcement", tool_calls: [call("stop")] })).effect,
    ).toBe("deny");
  });
});
