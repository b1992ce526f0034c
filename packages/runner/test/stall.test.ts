import { reportBehavior, type BehaviorContext, type StepContext } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { stage, templateOf, write } from "./kit.ts";

const again = { action: "loop", reason: "fails" };

/** How often a review goes back that always asks for it, of a test with the given output at each visit. */
async function goesBack(
  ask: (context: StepContext) => Promise<void>,
  said: (visit: number) => string,
): Promise<number> {
  const visits: number[] = [];
  const loaded = await templateOf({
    agents: { reviewer: { run: { function: "review" } } },
    steps: [
      { id: "test", run: { function: "test" }, continue_on_error: true },
      { id: "check", agent: "reviewer", loop: { steps: 1, max_iterations: 8, stall: 2 } },
    ],
  });
  const at = stage(loaded, {
    test: ({ visit }) => {
      visits.push(visit);
      throw new Error(said(visit));
    },
    review: async (context) => {
      await ask(context);
      return undefined;
    },
  });
  expect(await at.go()).toMatchObject({ outcome: "completed" });
  return visits.length - 1;
}

const byFile = async ({ controlFile }: StepContext): Promise<void> => write(controlFile, again);
const byTool = async ({ run, agent, progress }: StepContext, told: boolean): Promise<void> => {
  const context: BehaviorContext = {
    run,
    agent: agent ?? "",
    workspace: ".",
    ...(told ? { progress } : {}),
  };
  await reportBehavior(context, again);
};

const WAYS: readonly (readonly [string, (context: StepContext) => Promise<void>])[] = [
  ["by the file", byFile],
  ["by the tool", (context) => byTool(context, true)],
  ["by a carrier without progress", (context) => byTool(context, false)],
  [
    "alternately by the file and the tool",
    (context) => (context.visit % 2 === 0 ? byTool(context, true) : byFile(context)),
  ],
  [
    "alternately by the file and such a carrier",
    (context) => (context.visit % 2 === 0 ? byTool(context, false) : byFile(context)),
  ],
];

describe("a loop with `stall`", () => {
  it.each(WAYS)("requested %s ends if the same check fails in the same way", async (_, ask) => {
    expect(await goesBack(ask, () => "3 failed")).toBe(2);
  });

  it.each(WAYS.slice(0, 2))("requested %s continues if something changes", async (_, ask) => {
    expect(await goesBack(ask, (visit) => `failed: ${"x".repeat(visit)}`)).toBe(8);
  });
});
