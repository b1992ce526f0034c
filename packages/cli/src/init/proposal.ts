import { createNodeKernel } from "@bylaw/config";
import type { Ruleset } from "@bylaw/kernel";
import type { InitRuleset } from "./files.ts";

/** How a ruleset decides about the tasks of a project. */
export interface Proposal {
  readonly allowed: readonly string[];
  /** Tasks that no rule covers. A rule of the project may allow them. */
  readonly open: readonly string[];
  /** Tasks that a rule asks about or denies. */
  readonly held: readonly string[];
}

/** Decides about each task by a ruleset, as for an agent in `root`. */
export async function propose(
  ruleset: Exclude<InitRuleset, "none">,
  tasks: readonly string[],
  root: string,
): Promise<Proposal> {
  const proposal = { allowed: [] as string[], open: [] as string[], held: [] as string[] };
  const kernel = createNodeKernel({ extends: [await rulesetOf(ruleset)] }, { cwd: root });
  for (const command of tasks) {
    const { effect, rule } = await kernel.decide({
      hook: "beforeToolCall",
      tool: "bash",
      args: { command },
    });
    const list = effect === "allow" ? "allowed" : rule === undefined ? "open" : "held";
    proposal[list].push(command);
  }
  return proposal;
}

async function rulesetOf(name: Exclude<InitRuleset, "none">): Promise<Ruleset> {
  if (name === "everyday") return (await import("@bylaw/ruleset-everyday")).everyday;
  return (await import("@bylaw/ruleset-recommended")).recommended;
}

/** One line for each ruleset that says what it allows. */
export const SUMMARIES: Readonly<Record<InitRuleset, string>> = {
  everyday:
    "allows reading, searching and editing in this folder, tests, builds and local git; asks about the rest",
  recommended: "allows reading in this folder; asks about nearly all else",
  none: "only the rules of your own policy",
};
