import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseData } from "@bylaw/config";
import { BylawError } from "@bylaw/kernel";
import { z } from "zod";
import { findingOf, salvaged, type Problem } from "../problems.ts";
import { name } from "../schema.ts";
import { containedText } from "./contained-text.ts";
import { faulty, type AgentsRead, type GivenAgent } from "./given-agent.ts";

const text = z.string();
const idle = z.unknown().optional();

/** An agent of Radium. */
const radiumSchema = z.strictObject({
  agent: z.strictObject({
    id: name,
    name: text.optional(),
    description: text.optional(),
    prompt_path: text.min(1),
    ...{ engine: idle, model: idle, reasoning_effort: idle, sandbox: idle },
    ...{ capabilities: idle, routing: idle, persona: idle, mirror_path: idle },
    loop_behavior: z
      .strictObject({
        steps: z.int().min(1),
        max_iterations: z.int().min(1).max(1_000_000).optional(),
        skip: z.array(text).optional(),
      })
      .optional(),
    trigger_behavior: z.strictObject({ trigger_agent_id: name.optional() }).optional(),
  }),
  ...{ model: idle, persona: idle },
});

const IDLE: Readonly<Record<string, string>> = {
  engine: ": the command of the agent sets it",
  model: ": the command of the agent sets it",
  reasoning_effort: ": the command of the agent sets it",
  sandbox: ": policies say what the agent may do",
  ...{ capabilities: "", routing: "", persona: "", mirror_path: "" },
};

/** Reads an agent of Radium with its prompt, which must be in one of `roots`. */
export async function readRadiumAgent(
  file: string,
  source: string,
  roots: readonly string[],
): Promise<AgentsRead> {
  let parsed: Awaited<ReturnType<typeof parseData>>;
  try {
    parsed = await parseData(file, source);
  } catch (error) {
    if (!(error instanceof BylawError)) throw error;
    const { findings } = faulty(file, error.message);
    return { agents: {}, findings: findings.map((one) => ({ ...one, ...error.source, file })) };
  }
  const { data, problems, isFollowOn } = salvaged(radiumSchema, parsed.value);
  const found: Problem[] = [...problems];
  const path = ["agent", "prompt_path"];
  let prompt = "";
  if (data !== undefined && !isFollowOn(path)) {
    try {
      prompt = promptOf(file, data.agent.prompt_path, roots);
    } catch (error) {
      if (!(error instanceof BylawError)) throw error;
      found.push({ path, message: error.message });
    }
  }
  for (const [key, why] of Object.entries(IDLE))
    for (const at of [["agent", key], ...(key === "model" || key === "persona" ? [[key]] : [])])
      if (isGiven(parsed.value, at))
        found.push({ path: at, message: `\`${key}\` has no effect${why}`, severity: "warning" });
  const findings = await Promise.all(
    found.map(async (problem) => {
      const place = await parsed.place(problem.path);
      return findingOf(file, { place: () => place }, problem);
    }),
  );
  if (data === undefined || findings.some(({ severity }) => severity === "error"))
    return { agents: {}, findings };
  return { agents: { [data.agent.id]: agentOf(data.agent, prompt) }, findings };
}

function agentOf(
  { loop_behavior, trigger_behavior }: z.output<typeof radiumSchema>["agent"],
  prompt: string,
): GivenAgent {
  const { trigger_agent_id } = trigger_behavior ?? {};
  return {
    ...{ run: null, prompt, env: [] },
    ...(loop_behavior === undefined ? {} : { loop: loop_behavior }),
    ...(trigger_agent_id === undefined ? {} : { trigger: trigger_agent_id }),
  };
}

// Radium looks beside the agent first, then in the project folder.
function promptOf(file: string, path: string, roots: readonly string[]): string {
  const beside = resolve(dirname(file), path);
  return containedText(existsSync(beside) ? beside : resolve(path), roots).trim();
}

function isGiven(value: unknown, path: readonly string[]): boolean {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return true;
}
