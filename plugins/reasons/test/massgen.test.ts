import type { Decision, JsonObject } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { retryInput } from "../src/index.ts";
import { answer, answered, call, decide, vote, type Options } from "./kit.ts";

// The cases of the specification by id. Where they contradict the seed, the seed is right: its words, and no emoji.
const said = (agent: string, content = `words of ${agent}`): JsonObject => ({ agent, content });
const code = async (...args: Parameters<typeof decide>): Promise<string> =>
  (await decide(...args)).code;
const accepted = async (...args: Parameters<typeof decide>): Promise<boolean> =>
  (await decide(...args)).effect === "allow";

/** Two answers that share `shared` words, of `mine` and `theirs`. */
const sharing = (shared: number, mine: number, theirs: number): readonly [string, string] => {
  const numbers = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => `w${from + index}`).join(" ");
  return [numbers(0, mine), numbers(mine - shared, mine - shared + theirs)];
};

describe("votes", () => {
  it("MG-30 a vote while nobody has answered", async () => {
    expect(await decide({ tool_calls: [vote("agent1")] })).toMatchObject({
      code: "vote_no_answers",
      reason: "Retry (1/3): Cannot vote when no answers exist. Use new_answer tool.",
      recovery: "restart",
    });
  });

  it("MG-31 a vote for an unknown agent lists the known ones", async () => {
    const { reason, message } = await decide({
      tool_calls: [vote("agent5")],
      ...answered({ answers: [said("a"), said("b")] }),
    });
    expect(reason).toBe("Retry (1/3): Invalid agent_id 'agent5'. Valid agents: agent1, agent2");
    expect(message).toBe("Invalid agent_id 'agent5'. Valid agents: agent1, agent2");
  });

  it("MG-32 a vote for an agent without an answer", async () => {
    const { code: found, message } = await decide({
      tool_calls: [vote("agent2")],
      ...answered({ agents: ["a", "b"], answers: [said("a")] }),
    });
    expect(found).toBe("invalid_vote_id");
    expect(message).toBe("Invalid agent_id 'agent2'. Valid agents: agent1");
  });

  it("MG-33 a vote by the id that the host knows", async () => {
    expect(
      await accepted({
        tool_calls: [vote("claude-7")],
        ...answered({ agents: ["a"], answers: [said("claude-7")] }),
      }),
    ).toBe(true);
  });

  it("MG-34 a vote and an answer: every call gets the error, and neither is recorded", async () => {
    const response = {
      tool_calls: [
        { id: "1", ...vote("agent1") },
        { id: "2", ...answer("x") },
      ],
      ...answered({ answers: [said("b")] }),
    };
    const decision = await decide(response);
    expect(decision.code).toBe("vote_and_answer");
    expect(retryInput(decision, response)).toMatchObject({
      kind: "tool_results",
      calls: [{ id: "1" }, { id: "2" }],
    });
  });

  it("MG-35 of three votes the last counts", async () => {
    const consensus = answered({ answers: [said("a"), said("b")] });
    expect(
      await accepted({
        tool_calls: [vote("agent9"), vote("agent8"), vote("agent2")],
        ...consensus,
      }),
    ).toBe(true);
    expect(
      await code({ tool_calls: [vote("agent1"), vote("agent2"), vote("agent9")], ...consensus }),
    ).toBe("invalid_vote_id");
  });

  it("MG-36 three votes and an answer", async () => {
    const tool_calls = [vote("agent1"), vote("agent2"), vote("agent1"), answer("x")];
    expect(await code({ tool_calls, ...answered({ answers: [said("a"), said("b")] }) })).toBe(
      "vote_and_answer",
    );
  });
});

describe("answers", () => {
  it("MG-37 the limit of an agent, and none if none is set", async () => {
    const spent = { answers: [{ ...said("a"), revision: 2 }] };
    const tool_calls = [answer("quite another")];
    expect(
      await decide({ tool_calls, ...answered({ ...spent, max_answers_per_agent: 2 }) }),
    ).toMatchObject({
      code: "answer_limit",
      reason: "Retry (1/3): Gave 2 of 2 answers. Required: vote",
    });
    expect(
      await accepted({ tool_calls, ...answered({ ...spent, max_answers_per_agent: 3 }) }),
    ).toBe(true);
    expect(
      await accepted({ tool_calls, ...answered({ ...spent, max_answers_per_agent: null }) }),
    ).toBe(true);
  });

  it.each(readCases<[Options["novelty"], number, number, number, boolean]>(import.meta, "novelty"))(
    "MG-38 %s: %i words of %i and of %i are the same",
    async (novelty, shared, mine, theirs, passes) => {
      const [content, other] = sharing(shared, mine, theirs);
      const found = await code(
        { tool_calls: [answer(content)], ...answered({ answers: [said("b", other)] }) },
        { novelty },
      );
      expect(found).toBe(passes ? "fallback" : "answer_novelty");
    },
  );

  it("MG-38 lenient: the same text reaches the check for duplicates", async () => {
    const same = {
      tool_calls: [answer("the same")],
      ...answered({ answers: [said("b", "the same")] }),
    };
    expect(await code(same, { novelty: "lenient" })).toBe("answer_duplicate");
    expect(await code(same, { novelty: "balanced" })).toBe("answer_novelty");
  });

  it("MG-39 two empty answers are equal, an empty and a full one are not", async () => {
    const empty = { tool_calls: [answer("")], text: "" };
    expect(
      await code({ ...empty, ...answered({ answers: [said("b", "")] }) }, { novelty: "balanced" }),
    ).toBe("answer_novelty");
    expect(
      await accepted(
        { ...empty, ...answered({ answers: [said("b", "words")] }) },
        { novelty: "balanced" },
      ),
    ).toBe(true);
  });

  it("MG-40 answers that differ only by their workspace are duplicates", async () => {
    const consensus = {
      answers: [{ ...said("b", "wrote /srv/ws/b/out.md in /srv/ws/b"), workspace: "/srv/ws/b" }],
    };
    const tool_calls = [answer(" wrote /srv/ws/a/out.md in /srv/ws/a\n")];
    expect(await code({ tool_calls, host: { workspace: "/srv/ws/a/", consensus } })).toBe(
      "answer_duplicate",
    );
    expect(
      await accepted({
        tool_calls: [answer("wrote /srv/ws/ab/out.md in /srv/ws/a")],
        host: { workspace: "/srv/ws/a", consensus },
      }),
    ).toBe(true);
  });

  it("MG-40 also if one workspace lies in another", async () => {
    const consensus = {
      answers: [
        { ...said("b", "see /srv/ws/sub/out.md"), workspace: "/srv/ws/sub" },
        { ...said("c"), workspace: "/srv/ws" },
      ],
    };
    expect(
      await code({
        tool_calls: [answer("see /srv/other/out.md")],
        host: { workspace: "/srv/other", consensus },
      }),
    ).toBe("answer_duplicate");
  });

  it("MG-41 a duplicate at the first attempt is refused, and may be tried again", async () => {
    const decision = await decide({
      tool_calls: [answer("x y")],
      ...answered({ answers: [said("b", "x y")] }),
    });
    expect(decision).toMatchObject({
      effect: "deny",
      applied: "deny",
      code: "answer_duplicate",
      recovery: "restart",
    });
    expect(decision.reason).toBe(
      "Retry (1/3): Answer already provided by agent2. Required: a different one, or a vote",
    );
  });

  it("MG-47 three bad answers in one response give one reason", async () => {
    const tool_calls = [answer("x"), answer("y"), answer("z")];
    const { votes } = await decide({
      tool_calls,
      ...answered({ answers: [said("a")], max_answers_per_agent: 1 }),
    });
    expect(votes.map((one) => one.code)).toEqual(["answer_limit"]);
  });

  it("the agent's own earlier answer is compared if the options say so", async () => {
    const again = {
      tool_calls: [answer("one two three four")],
      ...answered({ answers: [said("a", "one two three")] }),
    };
    expect(await accepted(again, { novelty: "strict" })).toBe(true);
    expect(await code(again, { novelty: "strict", own_answer: "compare" })).toBe("answer_novelty");
    // An identical text adds nothing and would clear every vote.
    expect(
      await code({ ...again, tool_calls: [answer("one two three")] }, { novelty: "strict" }),
    ).toBe("answer_duplicate");
  });

  it("an answer without content is the text of the response", async () => {
    const bare = { tool_calls: [{ tool: "new_answer", args: {} }], text: " x y " };
    expect(await code({ ...bare, ...answered({ answers: [said("b", "x y")] }) })).toBe(
      "answer_duplicate",
    );
    const blank = { ...bare, tool_calls: [answer("\u2060 \u3164")] };
    expect(await code({ ...blank, ...answered({ answers: [said("b", "x y")] }) })).toBe(
      "answer_duplicate",
    );
  });

  it("words are found in text without spaces", async () => {
    const theirs = "今天天气很好我们去公园散步";
    const mine = "今天天气很好我们去公园跑步";
    const asked = { tool_calls: [answer(mine)], ...answered({ answers: [said("b", theirs)] }) };
    expect(await code(asked, { novelty: "strict" })).toBe("answer_novelty");
    const other = {
      tool_calls: [answer("昨夜下雨猫在窗边睡觉")],
      ...answered({ answers: [said("b", theirs)] }),
    };
    expect(await accepted(other, { novelty: "strict" })).toBe(true);
  });
});

describe("responses without a workflow tool", () => {
  const read = {
    tool_calls: [call("read_file")],
    available_tools: ["read_file", "vote", "new_answer"],
  };

  it("MG-42 text alone is passed on to the retry", async () => {
    const response = { text: "Half of it, and </incomplete_response> more", tool_calls: [] };
    const decision = await decide(response);
    expect(decision.code).toBe("no_tool_calls");
    const input = retryInput(decision, response);
    expect(input).toMatchObject({
      kind: "message",
      text: expect.stringContaining("Half of it, and") as string,
    });
    expect(JSON.stringify(input).match(/<\/incomplete_response>/g)).toHaveLength(1);
  });

  it("MG-43 work continues if the options say so; by the seed it does not comply", async () => {
    expect(await code(read)).toBe("no_workflow_tool");
    expect(await accepted(read, { progress: { tools: ["read_*"] } })).toBe(true);
    expect(
      await code(
        { ...read, tool_calls: [call("read_file"), call("write_file")] },
        { progress: { tools: ["read_*"] } },
      ),
    ).toBe("unknown_tool");
  });

  it("MG-44 an agent that may only vote makes no progress by reading", async () => {
    const spent = answered({ answers: [said("a")], max_answers_per_agent: 1 });
    const decision = await decide({ ...read, ...spent }, { progress: { tools: ["*"] } });
    expect(decision).toMatchObject({
      code: "no_workflow_tool",
      reason: "Retry (1/3): Called read_file (not workflow). Required: vote",
    });
    expect(decision.message).toContain("no more answers");
  });

  it("MG-48 an unknown tool alone is reported; next to a valid vote it blocks nothing", async () => {
    const available_tools = ["vote", "new_answer", "run_command"];
    const alone: Decision = await decide({ tool_calls: [call("run_comand")], available_tools });
    expect(alone.code).toBe("unknown_tool");
    expect(alone.message).toContain("Did you mean run_command?");
    const consensus = answered({ answers: [said("b")] });
    expect(
      await accepted({
        tool_calls: [call("run_comand"), vote("agent2")],
        available_tools,
        ...consensus,
      }),
    ).toBe(true);
  });

  it("MG-51 a call of a client's tool ends the turn", async () => {
    const asked = { tool_calls: [call("ask_person")], available_tools: ["ask_person"] };
    expect(await accepted(asked, { external_tools: ["ask_person"] })).toBe(true);
    expect(await code(asked)).toBe("no_workflow_tool");
  });
});
