import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import type { Compat } from "@bylaw/behavior";
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
  readonly text: Pick<TemplateText, "name" | "description" | "tracks" | "choices"> & {
    readonly steps: readonly StepText[];
  };
  readonly agents: readonly string[];
  /** Where each step stood. */
  readonly origins: readonly number[];
  readonly problems: readonly Problem[];
}

const STEP_KEYS: ReadonlySet<string> = new Set([
  ...[
    "type",
    "agentId",
    "agentName",
    "engine",
    "model",
    "modelReasoningEffort",
    "notCompletedFallback",
    "executeOnce",
    "module",
  ],
  ...[
    "label",
    "text",
    "promptPath",
    "interactive",
    "tracks",
    "conditions",
    "conditionsAny",
    "folder",
  ],
  ...["id", "agent_id", "prompt", "command", "args", "continue_on_error"],
]);
const SEPARATORS: ReadonlySet<unknown> = new Set(["ui", "separator"]);
// What they choose belongs to the host that starts the agent, and is told to nobody here.
const WITHOUT_EFFECT = ["engine", "model", "modelReasoningEffort", "interactive"] as const;

/** Whether data is a template of an older form: no version, and steps in their words. */
export const isOlder = (value: Json): value is JsonObject =>
  isJsonObject(value) && value["bylaw"] === undefined && Array.isArray(value["steps"]);

/**
 * Reads a template of Radium (its own and that of its extensions) or of CodeMachine. Tells all that
 * is wrong or has no effect.
 */
export function translate(value: JsonObject, compat?: Compat): Translated {
  const problems: Problem[] = [];
  const steps: StepText[] = [];
  const origins: number[] = [];
  const agents = new Set<string>();
  const used = new Map<string, number>();
  const given = value["steps"] as readonly Json[];
  const fail = (path: readonly PropertyKey[], message: string, fix?: string): void =>
    void problems.push({ path, message, ...(fix === undefined ? {} : { fix }) });
  const warn = (path: readonly PropertyKey[], message: string): void =>
    void problems.push({ path, message, severity: "warning" });
  const name = typeof value["name"] === "string" ? nameOf(value["name"]) : "";
  if (name === "") fail(["name"], "The template has no name");
  if (value["parameters"] !== undefined)
    warn(["parameters"], "`parameters` has no effect: write their values in the template");
  const ways = waysOf(value, (path, message) => fail(path, message));

  given.forEach((entry, index) => {
    const at = ["steps", index] as const;
    if (!isJsonObject(entry)) return fail(at, "A step must be an object");
    for (const key of Object.keys(entry))
      if (!STEP_KEYS.has(key)) fail([...at, key], `Unknown key \`${key}\` in a step`);
    const { type = "step" } = entry;
    if (SEPARATORS.has(type)) return undefined;
    if (type === "folder")
      return warn(at, "A folder of agents has no effect: list its agents as steps");
    if (!["step", "module", "agent", "command"].includes(String(type)))
      return fail([...at, "type"], `The type of a step must be step, module or ui`);
    const agent = entry["agentId"] ?? entry["agent_id"];
    const command = type === "command" ? commandIn(entry) : undefined;
    if (command === undefined && (typeof agent !== "string" || agent === ""))
      return fail(at, type === "command" ? "The step has no `command`" : "The step has no agent");
    const wanted = nameOf(String(entry["id"] ?? agent));
    const count = (used.get(wanted) ?? 0) + 1;
    used.set(wanted, count);
    const id = count === 1 ? wanted : `${wanted}-${count}`;
    for (const key of WITHOUT_EFFECT)
      if (entry[key] !== undefined)
        warn([...at, key], `\`${key}\` has no effect: the command of the agent sets it`);
    if (entry["promptPath"] !== undefined)
      warn([...at, "promptPath"], "`promptPath` has no effect: the agent has its own prompt");
    const who = typeof agent === "string" ? nameOf(agent) : undefined;
    if (who !== undefined) agents.add(who);
    const fallback =
      typeof entry["notCompletedFallback"] === "string"
        ? nameOf(entry["notCompletedFallback"])
        : undefined;
    if (fallback !== undefined) agents.add(fallback);
    const step: Record<string, unknown> = { id };
    if (who !== undefined) step["agent"] = who;
    if (command !== undefined) step["run"] = { command };
    if (typeof entry["prompt"] === "string") step["prompt"] = entry["prompt"];
    if (entry["executeOnce"] === true) step["once"] = true;
    if (entry["continue_on_error"] === true) step["continue_on_error"] = true;
    if (fallback !== undefined) step["fallback"] = fallback;
    for (const [key, ours] of WAYS) {
      const list = entry[key];
      if (list === undefined) continue;
      if (Array.isArray(list) && list.every((one) => typeof one === "string")) {
        if (list.length > 0) step[ours] = list.map(nameOf);
      } else fail([...at, key], `\`${key}\` must be a list of names`);
    }
    const behavior = behaviorOf(entry["module"]);
    if (behavior?.["type"] === "loop") {
      const loop = loopIn(behavior, index, { origins, steps, compat });
      if (typeof loop !== "string") step["loop"] = loop;
      else fail([...at, "module"], loop, "Give `steps`; without it the original tool never loops");
    } else if (behavior?.["type"] === "trigger") {
      const named = behavior["triggerAgentId"];
      if (typeof named === "string" && named !== "") {
        step["trigger"] = nameOf(named);
        agents.add(step["trigger"] as string);
        // A step that may call, and names nobody by itself.
      } else if (compat === "codemachine") step["trigger"] = "";
    } else if (behavior !== undefined)
      fail([...at, "module"], "The behavior of a module must be loop or trigger");
    origins.push(index);
    steps.push(step as StepText);
    return undefined;
  });
  for (const listed of Array.isArray(value["subAgentIds"]) ? value["subAgentIds"] : [])
    if (typeof listed === "string") agents.add(nameOf(listed));
  if (steps.length === 0) fail(["steps"], "The template has no step");
  const description = typeof value["description"] === "string" ? value["description"] : undefined;
  const older = given.some(
    (entry) =>
      isJsonObject(entry) &&
      (entry["type"] === "step" || entry["id"] !== undefined || entry["agent_id"] !== undefined),
  );
  return {
    dialect: older ? "radium" : "codemachine",
    text: { name, ...(description === undefined ? {} : { description }), ...ways, steps },
    agents: [...agents],
    origins,
    problems,
  };
}

const WAYS = [
  ["tracks", "tracks"],
  ["conditions", "choices"],
  ["conditionsAny", "choices_any"],
] as const;

interface Before {
  /** Where each step before stood. */
  readonly origins: readonly number[];
  readonly steps: readonly StepText[];
  readonly compat: Compat | undefined;
}

// A text is what is wrong with it.
function loopIn(
  { steps: back, maxIterations, skip = [] }: JsonObject,
  index: number,
  { origins, steps, compat }: Before,
): NonNullable<StepText["loop"]> | string {
  const names = Array.isArray(skip) ? skip.map((one) => nameOf(String(one))) : [];
  const times = typeof maxIterations === "number" ? Math.floor(maxIterations) : 0;
  const most =
    compat === "radium" && maxIterations === 0
      ? 0
      : times >= 1
        ? Math.min(times, ENDLESS)
        : ENDLESS;
  // Separators were steps there, and are none here.
  const standBefore = (count: number): number =>
    origins.filter((origin) => origin >= index - count).length;
  if (compat === "codemachine") {
    const count = typeof back === "number" ? Math.max(1, Math.floor(back)) : 1;
    return { steps: standBefore(count), max_iterations: most, skip: names };
  }
  if (compat === "radium" && back === 0) return { steps: 0, max_iterations: most, skip: [] };
  if (typeof back !== "number" || !Number.isInteger(back) || back < 1)
    return "A loop must say how many steps it goes back, at least 1";
  const count = Math.max(1, standBefore(back));
  // It names agents there: every repeated step of theirs is left out.
  const skipped = steps
    .slice(-count)
    .filter(({ agent }) => agent !== undefined && names.includes(agent));
  return { steps: count, max_iterations: most, skip: skipped.map(({ id }) => id) };
}

/** More often than any workflow goes back. */
const ENDLESS = 1_000_000;

// What the user was asked there before the workflow began.
function waysOf(
  { tracks, conditionGroups }: JsonObject,
  fail: (path: readonly PropertyKey[], message: string) => void,
): Pick<TemplateText, "tracks" | "choices"> {
  const choices: Record<string, NonNullable<TemplateText["choices"]>[string]> = {};
  const labels = (
    options: Json | undefined,
    path: readonly PropertyKey[],
  ): Record<string, { readonly label?: string }> => {
    if (!isJsonObject(options ?? null) || Object.keys(options as JsonObject).length === 0) {
      fail(path, "The question needs answers by name");
      return {};
    }
    return Object.fromEntries(
      Object.entries(options as JsonObject).map(([id, said]) => {
        const label = isJsonObject(said) ? said["label"] : undefined;
        return [nameOf(id), typeof label === "string" ? { label } : {}];
      }),
    );
  };
  const group = (
    id: string,
    said: Json,
    after: string | undefined,
    path: readonly PropertyKey[],
  ): void => {
    if (!isJsonObject(said)) return fail(path, "A question must be an object");
    const { question, multiSelect, tracks: on, conditions, children } = said;
    choices[id] = {
      ...(typeof question === "string" ? { question } : {}),
      ...(multiSelect === true ? { multiple: true } : {}),
      ...(Array.isArray(on) && on.length > 0
        ? { tracks: on.map((one) => nameOf(String(one))) }
        : {}),
      ...(after === undefined ? {} : { after }),
      options: labels(conditions, [...path, "conditions"]),
    };
    if (isJsonObject(children ?? null))
      for (const [option, child] of Object.entries(children as JsonObject))
        group(`${id}.${nameOf(option)}`.slice(0, 100), child, nameOf(option), [
          ...path,
          "children",
          option,
        ]);
    return undefined;
  };
  if (Array.isArray(conditionGroups))
    conditionGroups.forEach((said, at) =>
      group(
        nameOf(isJsonObject(said) ? String(said["id"] ?? `choice-${at + 1}`) : ""),
        said,
        undefined,
        ["conditionGroups", at],
      ),
    );
  const some = Object.keys(choices).length === 0 ? {} : { choices };
  if (!isJsonObject(tracks ?? null)) return some;
  const { question, options } = tracks as JsonObject;
  return {
    tracks: {
      ...(typeof question === "string" ? { question } : {}),
      options: labels(options, ["tracks", "options"]),
    },
    ...some,
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
  return [command, ...args.map(String)].map((text) =>
    text.replaceAll("{", "{{").replaceAll("}", "}}"),
  );
}

const nameOf = (text: string): string =>
  text
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
