import type { JsonObject } from "@bylaw/kernel";
import type { Contract, Gate, Phase, ToolConstraint } from "./model.ts";
import { COMPLETED_PHASE } from "./words.ts";

/** An artifact that is required to leave a phase. */
export interface ArtifactGuide {
  readonly type: string;
  readonly description: string | null;
  /** The rules for its content, one sentence each. */
  readonly rules: readonly string[];
  /** JSON Schema 2020-12. Null allows any JSON. */
  readonly schema: JsonObject | null;
}

/** A phase that can follow. */
export interface NextPhase {
  /** The id of the phase. `@completed` ends the task. */
  readonly phase: string;
  readonly gate: string | null;
  /** `rejected`: only after the gate rejected the work. */
  readonly when: "passed" | "rejected";
}

/** The facts that an agent needs to work in a phase and to leave it. */
export interface PhaseGuide {
  readonly required_artifacts: readonly ArtifactGuide[];
  readonly next_phases: readonly NextPhase[];
  /** The whole guide as text, for the prompt of a model. */
  readonly prompt: string;
}

const NOWHERE: PhaseGuide = Object.freeze({ required_artifacts: [], next_phases: [], prompt: "" });

/** The guide to one phase of a contract. Empty for anything else, such as a completed task. */
export function phaseGuide(contract: Contract, id: string | null): PhaseGuide {
  const phase = contract.phases.find((one) => one.id === id);
  if (phase === undefined) return NOWHERE;
  const required_artifacts = phase.artifacts.map(
    ({ type, description = null, rules, schema }): ArtifactGuide => ({
      type,
      description,
      rules: rules.map(({ message }) => message),
      schema: schema?.value ?? null,
    }),
  );
  const ways = contract.transitions
    .filter(({ from }) => from === phase.id)
    .map(({ to, gate = null, when }): NextPhase => ({ phase: to, gate, when }));
  const next_phases: readonly NextPhase[] = contract.ends.includes(phase.id)
    ? [{ phase: COMPLETED_PHASE, gate: null, when: "passed" }]
    : ways;
  const prompt = promptOf(contract, phase, { required_artifacts, next_phases });
  return { required_artifacts, next_phases, prompt };
}

function promptOf(
  contract: Contract,
  phase: Phase,
  { required_artifacts, next_phases }: Omit<PhaseGuide, "prompt">,
): string {
  const { id, name, description, allowedTools, forbiddenTools } = phase;
  const tools = allowedTools.filter((tool) => !forbiddenTools.includes(tool));
  const gates = new Map(contract.gates.map((gate) => [gate.id, gate]));
  return [
    `You are in the phase ${id} (${name}) of the workflow "${contract.name}".${description === undefined ? "" : ` ${description}`}`,
    tools.length === 0
      ? "It allows no tools."
      : `You may use these tools only: ${tools.join(", ")}.`,
    ...phase.constraints.map(limitsOf),
    ...next_phases.map(({ phase: to, gate, when }) =>
      wayOf(to, gate === null ? undefined : gates.get(gate), when),
    ),
    ...(required_artifacts.length === 0
      ? []
      : ["Hand in these artifacts with the request, as JSON under their names:"]),
    ...required_artifacts.map(
      ({ type, description: what, rules, schema }) =>
        `- ${type}: ${[what, ...rules, schema && `JSON Schema: ${JSON.stringify(schema)}`].filter((part) => part !== null).join(". ")}`,
    ),
  ].join("\n");
}

function limitsOf(constraint: ToolConstraint): string {
  const { tool, allowedPatterns, forbiddenPatterns, allowedCommands, forbiddenCommands } =
    constraint;
  const only = [...(allowedPatterns ?? []), ...(allowedCommands ?? [])];
  const never = [...forbiddenPatterns, ...forbiddenCommands];
  const parts = [
    ...(only.length === 0 ? [] : [`only ${only.join(", ")}`]),
    ...(never.length === 0 ? [] : [`never ${never.join(", ")}`]),
  ];
  return `${tool}: ${parts.join("; ")}.`;
}

function wayOf(to: string, gate: Gate | undefined, when: NextPhase["when"]): string {
  if (when === "rejected") return `If the gate rejects the work, request the transition to ${to}.`;
  const approval =
    gate?.type === "approval"
      ? ` ${gate.quorum} of ${gate.approvers.join(", ")} must approve.`
      : "";
  const checks = (gate?.checks ?? [])
    .filter(({ severity }) => severity === "blocking")
    .map(({ message }) => ` ${message.replace(/[.!]?$/, ".")}`);
  return `When you are done, request the transition to ${to}.${approval}${checks.join("")}`;
}
