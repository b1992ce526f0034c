import type { Json, JsonObject } from "@bylaw/kernel";
import { parseAlert } from "./alert.ts";
import { ACTION_MODE, laxer } from "./analyse/settings.ts";
import type { Subject } from "./analyse/subject.ts";
import type { ArtifactSchema, Check, Contract, Gate, Phase, Transition } from "./model.ts";
import type { ContractData, GateData, PhaseData } from "./schema.ts";
import { BUS_EVENTS, SNAPSHOT_PARTS, TOOLS } from "./words.ts";

/** Builds the model of a contract, with all defaults filled in. */
export function modelOf(
  subject: Subject,
  file: string,
  schemas: ReadonlyMap<string, ArtifactSchema>,
): Omit<Contract, "digest" | "warnings"> {
  const { data, phases, gates, transitions, edges, initial, known } = subject;
  const left = new Set(edges.map(({ from }) => from));
  const tokens = data.enforcement.phase_tokens?.enabled ?? true;
  return {
    name: data.name ?? "workflow",
    version: data.version ?? "1",
    description: data.description,
    form: data.bylaw ?? "original",
    file,
    initial,
    ends: phases.filter(({ id }) => !left.has(id)).map(({ id }) => id),
    phases: phases.map((phase) => phaseModel(phase, schemas)),
    gates: gates.map(gateModel),
    transitions: transitions.map(
      ({ from, to, gate, when = "passed", requires_token, triggers = [] }): Transition => ({
        from,
        to,
        gate,
        when,
        requiresToken: requires_token ?? tokens,
        triggers: triggers.map(({ action, parallel = false, params = {} }) => ({
          action,
          parallel,
          params: params as JsonObject,
        })),
      }),
    ),
    tools: [...new Set([...TOOLS, ...(data.tools ?? []), ...known.tools])],
    checks: Object.entries(data.checks ?? {}).map(([name, { description, passes_when }]) => ({
      name,
      description,
      passesWhen: passes_when,
    })),
    evidence: evidenceOf(data),
    ...settingsOf(data, tokens),
    protectedPaths: protectedPaths(data, file, schemas),
  };
}

function phaseModel(phase: PhaseData, schemas: ReadonlyMap<string, ArtifactSchema>): Phase {
  const {
    id,
    name,
    description,
    allowed_tools,
    forbidden_tools = [],
    tool_constraints = {},
    required_artifacts = [],
    auto_spawn = [],
  } = phase;
  return {
    id,
    name,
    description,
    allowedTools: [...new Set(allowed_tools)],
    forbiddenTools: [...new Set(forbidden_tools)],
    constraints: Object.entries(tool_constraints).map(([tool, constraint]) => ({
      tool,
      allowedPatterns: constraint.allowed_patterns,
      forbiddenPatterns: constraint.forbidden_patterns ?? [],
      allowedCommands: constraint.allowed_commands,
      forbiddenCommands: constraint.forbidden_commands ?? [],
    })),
    artifacts: required_artifacts.map(({ type, description, schema, validation = [] }) => ({
      type,
      description,
      schema: schema === undefined ? undefined : schemas.get(schema),
      rules: validation.map(({ rule, message }): Check => ({
        check: rule,
        severity: "blocking",
        message,
        threshold: undefined,
        requiredReviews: undefined,
      })),
    })),
    spawns: auto_spawn.map(
      ({ agent_type, models, parallel = false, wait_for_completion = true }) => ({
        agentType: agent_type,
        models,
        parallel,
        waitForCompletion: wait_for_completion,
      }),
    ),
  };
}

function gateModel({
  id,
  phase,
  type = "validation",
  blockers = [],
  timeout_seconds,
  approvers = [],
  quorum = 1,
  auto_advance = false,
}: GateData & { readonly phase: string }): Gate {
  return {
    id,
    phase,
    type,
    checks: blockers.map(
      ({ check, severity = "blocking", message, threshold, required_reviews }) => ({
        check,
        severity,
        message,
        threshold,
        requiredReviews: required_reviews,
      }),
    ),
    timeoutSeconds: timeout_seconds,
    approvers,
    quorum: type === "approval" ? quorum : 0,
    autoAdvance: auto_advance,
  };
}

function evidenceOf({
  evidence = "observed",
  test_command: command,
}: ContractData): Contract["evidence"] {
  if (command === undefined) return { source: evidence, testCommand: undefined };
  const { argv, format, report, timeout_seconds = 600 } = command;
  return {
    source: evidence,
    testCommand: { argv, format, report, timeoutSeconds: timeout_seconds },
  };
}

function settingsOf(
  data: ContractData,
  tokens: boolean,
): Pick<Contract, "enforcement" | "coordination" | "monitoring" | "recovery"> {
  const {
    state_access: state = {},
    event_bus: bus = {},
    conflict_resolution: conflict = {},
  } = data.coordination ?? {};
  const {
    agent_crash: agent = {},
    orchestrator_crash: orchestrator = {},
    gate_timeout: timeout = {},
  } = data.recovery ?? {};
  const { metrics = [], export: exported, alerts = [] } = data.monitoring ?? {};
  return {
    enforcement: enforcementOf(data, tokens),
    coordination: {
      snapshotIncludes: state.snapshot_includes ?? SNAPSHOT_PARTS,
      bus: { type: bus.type, path: bus.db_path, events: bus.events ?? BUS_EVENTS },
      leaseSeconds: conflict.lock_timeout_seconds ?? 300,
      optimisticLocking: conflict.optimistic_locking ?? true,
    },
    monitoring: {
      metrics,
      exportPath: exported?.path,
      alerts: alerts.flatMap(({ condition, action, message }) => {
        const read = parseAlert(condition);
        return typeof read === "string" ? [] : [{ ...read, action, message }];
      }),
    },
    recovery: {
      agentCrash: {
        action: agent.action ?? "retry",
        maxRetries: agent.max_retries ?? 3,
        backoffSeconds: agent.backoff_seconds ?? 60,
      },
      checkpointIntervalSeconds: orchestrator.checkpoint_interval_seconds ?? 300,
      gateTimeout: {
        action: timeout.action ?? "escalate_to_human",
        preserveState: timeout.preserve_state ?? true,
      },
    },
  };
}

function enforcementOf({ enforcement }: ContractData, enabled: boolean): Contract["enforcement"] {
  const {
    mode = "strict",
    phase_tokens: token = {},
    tool_enforcement: tools = {},
    agent_sdk: sdk = {},
  } = enforcement;
  return {
    mode,
    tokens: {
      enabled,
      algorithm: token.algorithm ?? "HS256",
      secretEnvVar: token.secret_env_var,
      expirySeconds: token.expiry_seconds ?? 7200,
      claims: token.include_claims ?? [],
    },
    tools: {
      enabled: tools.enabled ?? true,
      mode: laxer(mode, ACTION_MODE[tools.violation_action ?? "reject"]),
      auditLog: tools.audit_log,
    },
    sdk: {
      required: sdk.required ?? true,
      version: sdk.version,
      endpoint: sdk.endpoint,
      fallbackEndpoint: sdk.fallback_endpoint,
    },
  };
}

function protectedPaths(
  data: ContractData,
  file: string,
  schemas: ReadonlyMap<string, ArtifactSchema>,
): readonly string[] {
  const name = file.split(/[/\\]/).at(-1) ?? file;
  const files = [...schemas.values()].flatMap(({ from, ref }) => (from === "file" ? [ref] : []));
  const { schemas_dir, enforcement, coordination, monitoring } = data;
  const socket = /^file:\/\/(\.[^?#]*)/.exec(enforcement.agent_sdk?.fallback_endpoint ?? "")?.[1];
  const others = [
    schemas_dir,
    enforcement.tool_enforcement?.audit_log,
    coordination?.event_bus?.db_path,
    monitoring?.export?.path,
    socket,
  ];
  return [...new Set([name, ...files, ...others.filter((path) => path !== undefined)])];
}

/** The input of the digest: the contract and its schemas. */
export const digestedOf = (
  data: ContractData,
  schemas: ReadonlyMap<string, ArtifactSchema>,
): Json =>
  ({
    contract: data,
    schemas: Object.fromEntries(
      [...schemas]
        .filter(([, { from }]) => from === "file")
        .map(([ref, { value }]) => [ref, value]),
    ),
  }) as unknown as Json;
