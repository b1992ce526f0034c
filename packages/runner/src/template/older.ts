import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import type { Compat } from "@bylaw/behavior";
import { quote } from "@bylaw/wording";
import { olderSchema, type OlderBehavior, type OlderStep, type OlderText } from "./older-schema.ts";
import { choicesOf, optionsOf } from "./older-choices.ts";
import { commandIn, nameOf } from "./older-names.ts";
import { salvaged, type Problem } from "./problems.ts";
import type { StepText, TemplateText } from "./schema.ts";

/** A translated template of an older format. */
export interface Translated {
  readonly dialect: "radium" | "codemachine";
  readonly text: Pick<TemplateText, "name" | "description" | "tracks" | "choices" | "oversight"> & {
    readonly steps: readonly StepText[];
  };
  readonly agents: readonly string[];
  /** The original path of each step. */
  readonly origins: readonly number[];
  readonly problems: readonly Problem[];
  /** Whether a problem at this path only follows from a reported one. */
  readonly isFollowOn: (path: Problem["path"]) => boolean;
}

/** Whether data is a template of an older format: it has no version, and its steps use the older keys. */
export const isOlder = (value: Json): value is JsonObject =>
  isJsonObject(value) && value["bylaw"] === undefined && Array.isArray(value["steps"]);

/**
 * Translates a template of Radium (its own format or that of its extensions) or of CodeMachine.
 * Reports everything that is wrong, is read differently than it is written, or has no effect.
 */
export function translate(value: JsonObject, compat?: Compat): Translated {
  const { data, problems, isFollowOn } = salvaged(olderSchema, wrapped(value));
  // Radium puts the behavior into `module`, CodeMachine one level below.
  const placed = problems.map((problem) => ({ ...problem, path: unwrapped(problem.path, value) }));
  const translation = new Translation(data ?? { name: "unknown", steps: [] }, compat);
  return {
    ...translation.result(),
    problems: [...placed, ...translation.problems.filter(({ path }) => !isFollowOn(path))],
    isFollowOn,
  };
}

const isFlat = (step: Json | undefined): boolean =>
  isJsonObject(step ?? null) &&
  isJsonObject((step as JsonObject)["module"] ?? null) &&
  ((step as JsonObject)["module"] as JsonObject)["type"] !== undefined;

const wrapped = ({ steps, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  steps: (steps as readonly Json[]).map((step) =>
    isFlat(step)
      ? { ...(step as JsonObject), module: { behavior: (step as JsonObject)["module"] ?? null } }
      : step,
  ),
});

const unwrapped = (path: Problem["path"], { steps }: JsonObject): Problem["path"] =>
  path[2] === "module" && isFlat((steps as readonly Json[])[Number(path[1])])
    ? path.toSpliced(3, 1)
    : path;

const SEPARATORS: ReadonlySet<unknown> = new Set(["ui", "separator"]);
// Keys for the host that starts the agent.
const WITHOUT_EFFECT = ["engine", "model", "modelReasoningEffort", "interactive"] as const;
const WAYS = [
  ["tracks", "tracks"],
  ["conditions", "choices"],
  ["conditionsAny", "choices_any"],
] as const;
/** Stands for no limit, because no workflow goes back this often. */
const ENDLESS = 1_000_000;

class Translation {
  readonly problems: Problem[] = [];
  readonly #given: OlderText;
  readonly #compat: Compat | undefined;
  readonly #steps: StepText[] = [];
  readonly #origins: number[] = [];
  /** The original texts by their new names. */
  readonly #agents = new Map<string, string>();
  readonly #used = new Map<string, number>();

  constructor(given: OlderText, compat: Compat | undefined) {
    this.#given = given;
    this.#compat = compat;
    for (const key of ["controller", "autonomousMode", "projectName", "specification"] as const)
      if (given[key] !== undefined) this.#warn([key], `\`${key}\` has no effect`);
    if (given.parameters !== undefined)
      this.#warn(["parameters"], "`parameters` has no effect: write their values in the template");
    for (const [index, step] of given.steps.entries()) this.#translate(step, index);
    for (const [index, id] of (given.subAgentIds ?? []).entries())
      this.#agent(id, ["subAgentIds", index]);
    if (this.#steps.length === 0) this.#fail(["steps"], "The template has no steps");
  }

  result(): Pick<Translated, "dialect" | "text" | "agents" | "origins"> {
    const { name, description, tracks, conditionGroups = [], oversight, steps } = this.#given;
    const choices = choicesOf(conditionGroups);
    if (nameOf(name) === "") this.#fail(["name"], "The template has no name");
    const isRadium = ({ type, id, agent_id }: OlderStep): boolean =>
      type === "step" || id !== undefined || agent_id !== undefined;
    return {
      dialect: steps.some(isRadium) ? "radium" : "codemachine",
      text: {
        name: nameOf(name),
        ...(description === undefined ? {} : { description }),
        ...(tracks === undefined
          ? {}
          : { tracks: { question: tracks.question ?? "", options: optionsOf(tracks.options) } }),
        ...(Object.keys(choices).length === 0 ? {} : { choices }),
        ...(oversight === undefined ? {} : { oversight }),
        steps: this.#steps,
      },
      agents: [...this.#agents.keys()],
      origins: this.#origins,
    };
  }

  #fail(path: Problem["path"], message: string, fix?: string): void {
    this.problems.push({ path, message, ...(fix === undefined ? {} : { fix }) });
  }

  #warn(path: Problem["path"], message: string): void {
    this.problems.push({ path, message, severity: "warning" });
  }

  // The new name of an agent. Must not be the name of another.
  #agent(text: string, path: Problem["path"]): string {
    const name = nameOf(text);
    const other = this.#agents.get(name) ?? text;
    if (name === "") this.#fail(path, `The agent ${quote(text)} needs a letter or a digit`);
    else if (other !== text)
      this.#fail(
        path,
        `The agents ${quote(other)} and ${quote(text)} are both read as ${quote(name)}`,
      );
    this.#agents.set(name, other);
    return name;
  }

  #translate(given: OlderStep, index: number): void {
    const { type = "step", module } = given;
    const at = ["steps", index] as const;
    if (SEPARATORS.has(type)) return;
    if (type === "folder")
      return this.#warn(at, "A folder of agents has no effect: list its agents as steps");
    const named = given.agentId ?? given.agent_id ?? "";
    const command = type === "command" ? commandIn(given) : undefined;
    if (command === undefined && named === "")
      return this.#fail(
        [...at, type === "command" ? "command" : "agentId"],
        type === "command" ? "The step has no `command`" : "The step has no agent",
      );
    this.#tellIdle(given, at);
    const wanted = nameOf(given.id ?? named);
    const count = (this.#used.get(wanted) ?? 0) + 1;
    this.#used.set(wanted, count);
    const step: Record<string, unknown> = { id: count === 1 ? wanted : `${wanted}-${count}` };
    if (named !== "") step["agent"] = this.#agent(named, [...at, "agentId"]);
    if (command !== undefined) step["run"] = { command };
    if (given.prompt !== undefined) step["prompt"] = given.prompt;
    if (given.executeOnce === true) step["once"] = true;
    if (given.continue_on_error === true) step["continue_on_error"] = true;
    if (given.notCompletedFallback !== undefined)
      step["fallback"] = this.#agent(given.notCompletedFallback, [...at, "notCompletedFallback"]);
    for (const [key, ours] of WAYS)
      if ((given[key] ?? []).length > 0) step[ours] = given[key]?.map(nameOf);
    if (module?.behavior !== undefined)
      Object.assign(step, this.#behavior(module.behavior, index, [...at, "module", "behavior"]));
    this.#origins.push(index);
    this.#steps.push(step as StepText);
  }

  #tellIdle(given: OlderStep, at: readonly PropertyKey[]): void {
    for (const key of WITHOUT_EFFECT)
      if (given[key] !== undefined)
        this.#warn([...at, key], `\`${key}\` has no effect: the command of the agent sets it`);
    if (given.promptPath !== undefined)
      this.#warn([...at, "promptPath"], "`promptPath` has no effect: the agent has its own prompt");
    for (const key of ["command", "args"] as const)
      if (given[key] !== undefined && given.type !== "command")
        this.#warn([...at, key], `\`${key}\` only has an effect in a \`command\` step`);
  }

  #behavior(
    behavior: OlderBehavior,
    index: number,
    at: readonly PropertyKey[],
  ): Pick<StepText, "loop" | "trigger"> {
    // Any step may request a checkpoint.
    if (behavior.type === "checkpoint") return {};
    if (behavior.type === "loop") return this.#loop(behavior, index, at);
    const { triggerAgentId = "" } = behavior;
    if (triggerAgentId !== "") return { trigger: this.#agent(triggerAgentId, at) };
    // The step may call an agent but names none.
    return this.#compat === "codemachine" ? { trigger: "" } : {};
  }

  #loop(
    loop: OlderBehavior & { readonly type: "loop" },
    index: number,
    at: readonly PropertyKey[],
  ): Pick<StepText, "loop"> {
    const { steps: back } = loop;
    if (loop.trigger !== undefined)
      this.#warn([...at, "trigger"], "`trigger` has no effect: the step must use its control file");
    const max_iterations = this.#timesOf(loop, at);
    if (this.#compat === "radium" && back === 0)
      return { loop: { steps: 0, max_iterations, skip: [] } };
    const old = this.#compat === "codemachine";
    if (!old && (back === undefined || !Number.isInteger(back) || back < 1)) {
      this.#fail(
        [...at, "steps"],
        "A loop must say how many steps it goes back, at least 1",
        "Give `steps`; without it the original tool never loops",
      );
      return {};
    }
    const wanted = Math.max(1, Math.floor(back ?? 1));
    if (wanted !== back && back !== undefined)
      this.#warn([...at, "steps"], `\`steps: ${back}\` is read as ${wanted}`);
    // Separators count as steps only in the older format.
    const before = this.#origins.filter((origin) => origin >= index - wanted).length;
    if (wanted > index && before > 0)
      this.#warn(
        [...at, "steps"],
        `The loop goes ${wanted} steps back, but only ${index} come before it: it goes back to the first`,
      );
    const steps = old ? before : Math.max(1, before);
    return { loop: { steps, max_iterations, skip: this.#skipOf(loop, steps, at) } };
  }

  #timesOf(
    { maxIterations: given }: OlderBehavior & { readonly type: "loop" },
    at: readonly PropertyKey[],
  ): number {
    if (given === undefined || (given === 0 && this.#compat === "radium")) return given ?? ENDLESS;
    const times = Math.floor(given) < 1 ? ENDLESS : Math.min(Math.floor(given), ENDLESS);
    if (times !== given)
      this.#warn(
        [...at, "maxIterations"],
        `\`maxIterations: ${given}\` is read as ${times === ENDLESS ? "no limit" : times}`,
      );
    return times;
  }

  // In the older format, `skip` names agents, so all steps of these agents are skipped.
  #skipOf(
    { skip = [] }: OlderBehavior & { readonly type: "loop" },
    count: number,
    at: readonly PropertyKey[],
  ): string[] {
    const repeated = this.#compat === "codemachine" ? this.#steps : this.#steps.slice(-count);
    const isNamed = (name: string, { id, agent }: StepText): boolean =>
      agent === name || (agent === undefined && id === name);
    for (const [index, text] of skip.entries())
      if (!repeated.some((step) => isNamed(nameOf(text), step)))
        this.#warn(
          [...at, "skip", index],
          `${quote(text)} in \`skip\` has no effect: the loop repeats no step of that agent`,
        );
    const wanted = skip.map(nameOf);
    if (this.#compat === "codemachine") return wanted;
    return repeated
      .filter((step) => wanted.some((name) => isNamed(name, step)))
      .map(({ id }) => id);
  }
}
