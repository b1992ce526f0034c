import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import type { StepText, TemplateText } from "./schema.ts";

/** A problem with the path of what it is about. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly fix?: string;
  readonly code?: string;
  readonly severity?: "warning";
}

/** A template of an older form, in the words of ours. */
export interface Translated {
  readonly dialect: "radium" | "codemachine";
  readonly text: Pick<TemplateText, "name" | "description"> & { readonly steps: readonly StepText[] };
  readonly agents: readonly string[];
  /** Where each step stood. */
  readonly origins: readonly number[];
  readonly problems: readonly Problem[];
}

const STEP_KEYS: ReadonlySet<string> = new Set([
  ...["type", "agentId", "agentName", "engine", "model", "modelReasoningEffort", "notCompletedFallback", "executeOnce", "module"],
  ...["label", "text", "promptPath", "interactive", "tracks", "conditions", "conditionsAny", "folder"],
  ...["id", "agent_id", "prompt", "command", "args", "continue_on_error"],
]);
const SEPARATORS: ReadonlySet<unknown> = new Set(["ui", "separator"]);
// What they choose belongs to the host that starts the agent, and is told to nobody here.
const WITHOUT_EFFECT = ["engine", "model", "modelReasoningEffort", "interactive", "tracks", "conditions", "conditionsAny"] as const;

/** Whether data is a template of an older form: no version, and steps in their words. */
export const isOlder = (value: Json): value is JsonObject =>
  isJsonObject(value) && value["bylaw"] === undefined && Array.isArray(value["steps"]);

/** Reads a template of Radium (its own and that of its extensions) or of CodeMachine. Tells all that is wrong or has no effect. */
export function translate(value: JsonObject): Translated {
  const problems: Problem[] = [];
  const steps: StepText[] = [];
  const origins: number[] = [];
  const agents = new Set<string>();
  const used = new Map<string, number>();
  const given = value["steps"] as readonly Json[];
  const fail = (path: readonly PropertyKey[], message: string, fix?: string): void =>
    void problems.push({ path, message, ...(fix === undefined ? {} : { fix }) });
  const warn = (path: readonly PropertyKey[], message: string): void => void problems.push({ path, message, severity: "warning" });
  const name = typeof value["name"] === "string" ? nameOf(value["name"]) : "";
  if (name === "") fail(["name"], "Unexpected absence of a name, expected one");
  for (const key of ["tracks", "conditionGroups", "parameters"] as const)
    if (value[key] !== undefined) warn([key], `\`${key}\` has no effect: a choice of the user is not part of a template here`);

  given.forEach((entry, index) => {
    const at = ["steps", index] as const;
    if (!isJsonObject(entry)) return fail(at, "Unexpected step, expected an object");
    for (const key of Object.keys(entry)) if (!STEP_KEYS.has(key)) fail([...at, key], `Unexpected key \`${key}\`, expected one of a step`);
    const { type = "step" } = entry;
    if (SEPARATORS.has(type)) return undefined;
    if (type === "folder") return warn(at, "A folder of agents has no effect: list its agents as steps");
    if (!["step", "module", "agent", "command"].includes(String(type)))
      return fail([...at, "type"], `Unexpected type of a step, expected step, module or ui`);
    const agent = entry["agentId"] ?? entry["agent_id"];
    const command = type === "command" ? commandIn(entry) : undefined;
    if (command === undefined && (typeof agent !== "string" || agent === ""))
      return fail(
        at,
        type === "command" ? "Unexpected step without `command`, expected one" : "Unexpected step without an agent, expected one",
      );
    const wanted = nameOf(String(entry["id"] ?? agent));
    const count = (used.get(wanted) ?? 0) + 1;
    used.set(wanted, count);
    const id = count === 1 ? wanted : `${wanted}-${count}`;
    for (const key of WITHOUT_EFFECT)
      if (entry[key] !== undefined) warn([...at, key], `\`${key}\` has no effect: the command of the agent says it`);
    if (entry["promptPath"] !== undefined) warn([...at, "promptPath"], "`promptPath` has no effect: the agent says its prompt");
    const who = typeof agent === "string" ? nameOf(agent) : undefined;
    if (who !== undefined) agents.add(who);
    const fallback = typeof entry["notCompletedFallback"] === "string" ? nameOf(entry["notCompletedFallback"]) : undefined;
    if (fallback !== undefined) agents.add(fallback);
    const step: Record<string, unknown> = { id };
    if (who !== undefined) step["agent"] = who;
    if (command !== undefined) step["run"] = { command };
    if (typeof entry["prompt"] === "string") step["prompt"] = entry["prompt"];
    if (entry["executeOnce"] === true) step["once"] = true;
    if (entry["continue_on_error"] === true) step["continue_on_error"] = true;
    if (fallback !== undefined) step["fallback"] = fallback;
    const behavior = behaviorOf(entry["module"]);
    if (behavior?.["type"] === "loop") {
      const { steps: back, maxIterations, skip = [] } = behavior;
      if (typeof back !== "number" || !Number.isInteger(back) || back < 1)
        fail(
          [...at, "module"],
          "Unexpected loop without a number of steps, expected at least 1",
          "say `steps`; without it the origin never looped",
        );
      else {
        // Separators were steps there, and are none here.
        const count = Math.max(1, origins.filter((origin) => origin >= index - back).length);
        // It names agents there: every repeated step of theirs is left out.
        const names = Array.isArray(skip) ? skip.map((one) => nameOf(String(one))) : [];
        const skipped = steps
          .slice(-count)
          .filter((one) => one.agent !== undefined && names.includes(one.agent))
          .map((one) => one.id);
        step["loop"] = {
          steps: count,
          ...(typeof maxIterations === "number" && maxIterations >= 1
            ? { max_iterations: Math.floor(maxIterations) }
            : { max_iterations: 1_000_000 }),
          skip: skipped,
        };
      }
    } else if (behavior?.["type"] === "trigger") {
      if (typeof behavior["triggerAgentId"] === "string" && behavior["triggerAgentId"] !== "") {
        step["trigger"] = nameOf(behavior["triggerAgentId"]);
        agents.add(step["trigger"] as string);
      }
    } else if (behavior !== undefined) fail([...at, "module"], "Unexpected behavior of a module, expected loop or trigger");
    origins.push(index);
    steps.push(step as StepText);
    return undefined;
  });
  for (const listed of Array.isArray(value["subAgentIds"]) ? value["subAgentIds"] : [])
    if (typeof listed === "string") agents.add(nameOf(listed));
  if (steps.length === 0) fail(["steps"], "Unexpected template without a step, expected one");
  const description = typeof value["description"] === "string" ? value["description"] : undefined;
  const older = given.some(
    (entry) => isJsonObject(entry) && (entry["type"] === "step" || entry["id"] !== undefined || entry["agent_id"] !== undefined),
  );
  return {
    dialect: older ? "radium" : "codemachine",
    text: { name, ...(description === undefined ? {} : { description }), steps },
    agents: [...agents],
    origins,
    problems,
  };
}

// Radium has the behavior in `module`, CodeMachine one level below.
function behaviorOf(module: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(module ?? null)) return undefined;
  const { behavior } = module as JsonObject;
  if (isJsonObject(behavior ?? null)) return behavior as JsonObject;
  return (module as JsonObject)["type"] === undefined ? undefined : (module as JsonObject);
}

function commandIn({ command, args = [] }: JsonObject): readonly string[] | undefined {
  if (typeof command !== "string" || command === "" || !Array.isArray(args)) return undefined;
  return [command, ...args.map(String)].map((text) => text.replaceAll("{", "{{").replaceAll("}", "}}"));
}

const nameOf = (text: string): string =>
  text
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
