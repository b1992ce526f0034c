import { z } from "@hono/zod-openapi";
import { graphText, phaseGuide, type Contract } from "@bylaw/contract";
import { admitAgent } from "../auth/admission.ts";
import { defineRoute, reply } from "../http/route.ts";
import { jsonObject } from "../http/shapes.ts";

/** The guide to one phase, in the format of API answers. */
export const guideShape = {
  required_artifacts: z.array(
    z.object({
      type: z.string(),
      description: z.string().nullable(),
      rules: z.array(z.string()),
      schema: z.union([jsonObject, z.null()]),
    }),
  ),
  next_phases: z.array(
    z.object({
      phase: z.string(),
      gate: z.string().nullable(),
      when: z.enum(["passed", "rejected"]),
    }),
  ),
  prompt: z.string(),
};

const contractShape = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string().nullable(),
  digest: z.string(),
  mode: z.string(),
  initial: z.string(),
  ends: z.array(z.string()),
  endpoint: z.string().nullable(),
  test_command: z.array(z.string()).nullable(),
  phases: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      allowed_tools: z.array(z.string()),
      forbidden_tools: z.array(z.string()),
      tool_constraints: z.array(jsonObject),
      gates: z.array(jsonObject),
      ...guideShape,
    }),
  ),
  text: z.string(),
});

export const getContract = defineRoute({
  method: "get",
  path: "/contract",
  summary: "Read the contract",
  description:
    "Phases with their tools, artifacts (JSON Schemas), gates and next phases; `prompt` of each phase and `text` describe it in prose.",
  tags: ["state"],
  callers: ["operator", "agent", "enrolled"],
  answers: { 200: { description: "The contract", schema: contractShape } },
  async handle({ service, caller, route }) {
    if (caller.kind === "agent")
      await admitAgent({ service, caller, route }, { task: caller.task });
    return reply(shown(service.contract));
  },
});

function shown(contract: Contract): unknown {
  const { name, version, description = null, digest, initial, ends } = contract;
  return {
    ...{ name, version, description, digest, initial, ends },
    mode: contract.enforcement.mode,
    endpoint: contract.enforcement.sdk.endpoint ?? null,
    test_command: contract.evidence.testCommand?.argv ?? null,
    phases: contract.phases.map((phase) => ({
      id: phase.id,
      name: phase.name,
      description: phase.description ?? null,
      allowed_tools: phase.allowedTools,
      forbidden_tools: phase.forbiddenTools,
      tool_constraints: phase.constraints.map(
        ({ tool, allowedPatterns, forbiddenPatterns, allowedCommands, forbiddenCommands }) => ({
          tool,
          allowed_patterns: allowedPatterns ?? null,
          forbidden_patterns: forbiddenPatterns,
          allowed_commands: allowedCommands ?? null,
          forbidden_commands: forbiddenCommands,
        }),
      ),
      gates: contract.gates
        .filter((gate) => gate.phase === phase.id)
        .map(({ id, type, approvers, quorum, checks }) => ({
          ...{ id, type, approvers, quorum },
          checks: checks.map(({ check, severity, message }) => ({ check, severity, message })),
        })),
      ...phaseGuide(contract, phase.id),
    })),
    text: graphText(contract),
  };
}
