import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { Agent, RunState, run, tool, type RunContext } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guardTools } from "../src/index.ts";
import { FakeModel, agentNoting, openKit, resume } from "./kit.ts";

const folder = temporaryFolder();

const calling = (path: string) => new FakeModel([[{ id: "c1", path }]]);

describe.each([false, true])("a call for which a rule offers another, streaming: %s", (stream) => {
  const drive = async (path: string) => {
    const ran: string[] = [];
    const model = calling(path);
    const kit = await openKit();
    const { agent } = agentNoting(ran, model, kit);
    if (stream) await (await run(agent, "go", { stream })).completed;
    else await run(agent, "go");
    return { ran, told: model.told, head: kit.run.head };
  };

  it.each(["deny", "ask"])("runs as the other if a rule allows that: %s", async (effect) => {
    const { ran, told, head } = await drive(`${effect}>a`);
    expect(ran).toEqual(["a"]);
    expect(told).toContain("wrote a");
    // Begun, denied or asked, allowed, done.
    expect(head).toBe(4);
  });

  it.each([
    ["deny>secret", "Not this file."],
    ["deny>uncovered", "Use `uncovered` instead."],
    ["deny>ask", "Use `ask` instead."],
    ["deny>7", "An error occurred while running the tool"],
  ])("runs nothing for %s, and tells the model", async (path, why) => {
    const { ran, told } = await drive(path);
    expect(ran).toEqual([]);
    expect(told).toContain(why);
  });
});

it("shows what runs to the tool's own checks, and to the tool", async () => {
  const seen: unknown[] = [];
  const note = (toolCall: { readonly arguments?: string } = {}) => seen.push(toolCall.arguments);
  const write = tool({
    name: "write",
    description: "Writes",
    parameters: z.object({ path: z.string() }),
    needsApproval: async (_: RunContext, { path }) => seen.push(path) === 0,
    inputGuardrails: [
      {
        name: "own",
        async run({ toolCall }) {
          note(toolCall);
          return { behavior: { type: "allow" } };
        },
      },
    ],
    execute: (_, __, details) => {
      note(details?.toolCall);
      return "done";
    },
  });
  for (const path of ["deny>a", "b"]) {
    const { tools } = guardTools([write], await openKit());
    await run(new Agent({ name: "bot", model: calling(path), tools }), "go");
  }
  const texts = ["a", "b"].map((path) => JSON.stringify({ path }));
  expect(seen).toEqual(["a", texts[0], texts[0], "b", texts[1], texts[1]]);
});

it("runs nothing if the tool's own check refuses what a rule offers", async () => {
  const ran: string[] = [];
  const refused: string[] = [];
  const write = tool({
    name: "write",
    description: "Writes",
    parameters: z.object({ path: z.string() }),
    inputGuardrails: [
      {
        name: "own",
        async run({ toolCall }) {
          const refuses = toolCall.arguments === '{"path":"a"}';
          if (refuses) refused.push("a");
          return {
            behavior: refuses ? { type: "rejectContent", message: "No." } : { type: "allow" },
          };
        },
      },
    ],
    execute: ({ path }) => ran.push(path),
  });
  const { tools } = guardTools([write], await openKit());
  await run(new Agent({ name: "bot", model: calling("deny>a"), tools }), "go");
  expect([ran, refused]).toEqual([[], ["a"]]);
});

describe("a person's yes", () => {
  it("does not let anything else run if the tool itself asks", async () => {
    const ran: string[] = [];
    const model = calling("deny>a");
    const { agent } = agentNoting(ran, model, await openKit(), true);
    const result = await run(agent, "go");
    expect([ran, result.interruptions]).toEqual([[], []]);
    expect(model.told).toContain("Use `a` instead.");
  });

  it("is for the call that was asked about, in another process", async () => {
    const file = join(folder, "yes.db");
    const kit = await openKit(file);
    const ran: string[] = [];
    const { state } = await run(agentNoting(ran, calling("ask>ask-2"), kit).agent, "go");
    const saved = state.toString();
    expect(resume(file, saved.replaceAll("ask>ask-2", "ask-2")).ran).toEqual([]);
    expect(resume(file, saved).ran).toEqual(["ask>ask-2"]);
    expect(ran).toEqual([]);
  });

  it("to a call that ran as another lets nothing run", async () => {
    const kit = await openKit();
    const ran: string[] = [];
    const { state } = await run(agentNoting(ran, calling("ask>ask-2"), kit).agent, "go");
    await run(agentNoting(ran, calling("ask>a"), kit).agent, "go");
    expect(ran).toEqual(["a"]);
    const { agent } = agentNoting(ran, new FakeModel(), kit);
    const forged = await RunState.fromString(
      agent,
      state.toString().replaceAll("ask>ask-2", "ask>a"),
    );
    for (const one of forged.getInterruptions()) forged.approve(one);
    await run(agent, forged);
    expect(ran).toEqual(["a"]);
  });
});
