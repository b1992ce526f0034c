import { quote } from "@bylaw/wording";
import type { Problem } from "../problems.ts";
import type { Agent, Step, StepLoop } from "../template.ts";
import type { GivenAgent } from "./given-agent.ts";

type Given = Readonly<Record<string, GivenAgent>>;

/** The agents of a template, overridden by the given ones. */
export function joinAgents(
  own: Readonly<Record<string, Agent>>,
  { "*": all, ...given }: Given,
  steps: readonly Step[],
): Readonly<Record<string, Agent>> {
  const named = new Set(
    steps.flatMap(({ agent, fallback, trigger }) => [agent, fallback, trigger]),
  );
  const agents = new Map<string, Agent>(Object.entries(own));
  for (const [id, { run, prompt, env }] of Object.entries(given)) {
    const before = run === null ? agents.get(id) : undefined;
    agents.set(id, {
      run: run ?? before?.run ?? null,
      prompt: prompt === "" ? (before?.prompt ?? "") : prompt,
      env: [...new Set([...env, ...(before?.env ?? [])])],
    });
  }
  return Object.fromEntries(
    [...agents]
      .map(([id, agent]) => [id, agent.run === null ? commanded(agent, all) : agent] as const)
      // An agent that no step names, and that has no command, is never started.
      .filter(([id, { run }]) => run !== null || named.has(id) || Object.hasOwn(own, id)),
  );
}

const commanded = ({ prompt, env }: Agent, all: Agent | undefined): Agent => ({
  run: all?.run ?? null,
  prompt: prompt === "" ? (all?.prompt ?? "") : prompt,
  env: [...new Set([...env, ...(all?.env ?? [])])],
});

/** The steps, with the loop and trigger of their agents unless they set their own. */
export function withBehaviors(
  steps: readonly Step[],
  given: Given,
  pathOf: (index: number) => readonly PropertyKey[],
): { readonly steps: readonly Step[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const complete = steps.map((step, index): Step => {
    const who =
      step.agent !== null && Object.hasOwn(given, step.agent) ? given[step.agent] : undefined;
    if (who === undefined) return step;
    const warn = (message: string): void =>
      void problems.push({ path: pathOf(index), message, severity: "warning" });
    const loop = step.loop ?? loopOf(who, step, steps.slice(0, index), warn);
    return { ...step, loop, trigger: step.trigger ?? who.trigger ?? null };
  });
  return { steps: complete, problems };
}

function loopOf(
  { loop }: GivenAgent,
  { agent, parallel }: Step,
  before: readonly Step[],
  warn: (message: string) => void,
): StepLoop | null {
  if (loop === undefined) return null;
  const { steps: wanted, max_iterations = 1_000_000, skip = [] } = loop;
  const whose = `The loop of the agent ${quote(agent ?? "")}`;
  const steps = Math.min(wanted, before.length);
  if (steps === 0 || parallel !== null) {
    warn(`${whose} has no effect in this step`);
    return null;
  }
  if (steps < wanted)
    warn(
      `${whose} goes ${wanted} steps back, but only ${steps} come before it: it goes back to the first`,
    );
  const repeated = before.slice(-steps);
  for (const text of skip)
    if (!repeated.some((one) => one.id === text || one.agent === text))
      warn(`${whose} skips ${quote(text)}, which it does not repeat`);
  const skipped = repeated.filter((one) => skip.includes(one.id) || skip.includes(one.agent ?? ""));
  return {
    ...{ steps, max_iterations, skip: skipped.map(({ id }) => id) },
    ...{ on_limit: "continue", stall: null },
  };
}
