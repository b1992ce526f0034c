import { createMemoryStore, openRun } from "@bylaw/log";
import { generateText, isStepCount, streamText, tool, type ModelMessage, type ToolSet } from "ai";
import { convertReadableStreamToArray } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guardTools } from "../src/index.ts";
import { modelCalling, openKit, toldBy, toolsNoting } from "./kit.ts";

const stopWhen = isStepCount(3);
const prompt = "go";

async function guarded(own: (ran: string[]) => ToolSet = toolsNoting) {
  const { kernel } = await openKit();
  const store = createMemoryStore();
  const run = await openRun(kernel, { run: "r", store, join: true });
  const ran: string[] = [];
  const { respond: _, ...settings } = guardTools(own(ran), { kernel, run, agent: "bot" });
  const record = async () =>
    (await store.events("r", 1, 100)).map(
      ({ event_type, details: { args, id } }) =>
        `${event_type} ${String(id)} ${(args as { path?: string } | undefined)?.path ?? ""}`,
    );
  return { ran, settings, record };
}
type Settings = Awaited<ReturnType<typeof guarded>>["settings"];

const RUNS: readonly (readonly [string, (given: Parameters<typeof generateText>[0]) => unknown])[] =
  [
    ["generateText", generateText],
    ["streamText", async (given) => convertReadableStreamToArray(streamText(given).fullStream)],
  ];
const HOOKS: readonly (readonly [string, (settings: Settings) => Partial<Settings>])[] = [
  ["with `toolApproval`", (settings) => settings],
  ["with nothing but the tools", ({ tools }) => ({ tools })],
];
const CASES = RUNS.flatMap(([name, start]) =>
  HOOKS.flatMap(([hooks, take]) =>
    ["write", "look"].map((toolName) => ({ name, start, hooks, take, toolName })),
  ),
);

describe.each(CASES)("$name $hooks, tool $toolName", ({ start, take, toolName }) => {
  const drive = async (path: string) => {
    const kit = await guarded();
    const model = modelCalling([[{ id: "c1", tool: toolName, path }]]);
    await start({ model, prompt, stopWhen, ...take(kit.settings) });
    return { ...kit, told: JSON.stringify(toldBy(model)) };
  };

  it.each(["deny", "ask"])(
    "runs only what a rule offers and another allows: %s",
    async (effect) => {
      const { ran, told, record } = await drive(`${effect}>a`);
      expect(ran).toEqual(["a"]);
      expect(told).toMatch(/wrote a|saw a/);
      expect(await record()).toEqual([
        `${effect === "deny" ? "tool_denied" : "tool_asked"} c1 ${effect}>a`,
        ...["tool_allowed c1 a", "tool_result c1 "],
      ]);
    },
  );

  it.each([
    ["deny>secret", "Not this file."],
    ["deny>uncovered", "Use `uncovered` instead."],
    ["deny>ask", "Use `ask` instead."],
    ["deny>7", "does not accept the arguments that a rule offers instead"],
  ])("runs nothing for %s, and tells the model why", async (path, why) => {
    const { ran, told } = await drive(path);
    expect(ran).toEqual([]);
    expect(told).toContain(why);
  });
});

describe("a tool that itself asks the user", () => {
  const asking = (about: string) => (ran: string[]) => ({
    write: {
      ...toolsNoting(ran).write,
      needsApproval: ({ path }: { path: string }) => path === about,
    },
  });

  it.each(HOOKS)("does not run other arguments than the user sees, %s", async (_, take) => {
    const { ran, settings } = await guarded(asking("a"));
    const model = modelCalling([[{ id: "c1", path: "deny>a" }]]);
    await generateText({ model, prompt, stopWhen, ...take(settings) });
    expect(ran).toEqual([]);
    expect(JSON.stringify(toldBy(model))).toContain("Use `a` instead.");
  });

  it("does not run anything else after the user's yes", async () => {
    const { ran, settings } = await guarded(asking("deny>a"));
    const model = modelCalling([[{ id: "c1", path: "deny>a" }]]);
    const { tools } = settings;
    const asked = await generateText({ model, prompt, stopWhen, tools });
    await answer(settings, asked);
    await answer({ tools }, asked);
    expect(ran).toEqual([]);
  });
});

/** Sends the user's yes to what the SDK asked, and whatever else is in the messages. */
async function answer(
  settings: Partial<Settings>,
  { responseMessages, content }: Awaited<ReturnType<typeof generateText>>,
  forge = (text: string) => text,
) {
  const found = content.find((part) => part.type === "tool-approval-request");
  const approvalId = found?.approvalId ?? "a1";
  const asked = { type: "tool-approval-request", approvalId, toolCallId: "c1" };
  const messages = JSON.parse(forge(JSON.stringify(responseMessages))) as ModelMessage[];
  const [{ content: parts }] = messages as unknown as [{ content: unknown[] }];
  if (found === undefined)
    messages.splice(0, 99, { role: "assistant", content: [parts[0], asked] } as never);
  const yes = { type: "tool-approval-response", approvalId, approved: true } as const;
  const history: ModelMessage[] = [
    { role: "user", content: prompt },
    ...messages,
    { role: "tool", content: [yes] },
  ];
  const model = modelCalling([]);
  await generateText({ model, messages: history, stopWhen, ...settings });
  return JSON.stringify(toldBy(model));
}

describe("the user's yes", () => {
  it("is for the call that was asked about, and not for the one that a rule offers", async () => {
    const { ran, settings } = await guarded();
    const model = modelCalling([[{ id: "c1", path: "ask>ask-2" }]]);
    const asked = await generateText({ model, prompt, stopWhen, ...settings });
    await answer(settings, asked, (text) => text.replaceAll("ask>ask-2", "ask-2"));
    expect(ran).toEqual([]);
    await answer(settings, asked);
    expect(ran).toEqual(["ask>ask-2"]);
  });

  it("to a call that ran with other arguments lets nothing run", async () => {
    const { ran, settings } = await guarded();
    const model = modelCalling([[{ id: "c1", path: "ask>a" }]]);
    const done = await generateText({ model, prompt, stopWhen, ...settings });
    expect(await answer(settings, done)).toContain("nobody asked it");
    expect(ran).toEqual(["a"]);
  });
});

it("does not run arguments that the schema of a tool would change again", async () => {
  const { ran, settings } = await guarded((noted) => ({
    write: tool({
      inputSchema: z.object({ path: z.string().transform((path) => path.replace("x", "deny>")) }),
      execute: ({ path }) => noted.push(path),
    }),
  }));
  const model = modelCalling([[{ id: "c1", path: "xbox" }]]);
  await generateText({ model, prompt, stopWhen, ...settings });
  expect(ran).toEqual([]);
  expect(JSON.stringify(toldBy(model))).toContain("it would change them");
});
