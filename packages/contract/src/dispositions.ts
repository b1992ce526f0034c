/** What becomes of a key. */
export interface Disposition {
  /** `enforced`: something is refused or done because of it. `mapped`: it names or sets something that Bylaw has. `told`: people and agents read it. */
  readonly kind: "enforced" | "mapped" | "told";
  /** The part of Bylaw that does so. */
  readonly by: string;
  /** How. */
  readonly how: string;
}

const enforced = (by: string, how: string): Disposition => ({ kind: "enforced", by, how });
const mapped = (by: string, how: string): Disposition => ({ kind: "mapped", by, how });
const told = (how: string): Disposition => ({ kind: "told", by: "contract", how });

/** What an artifact does not show of a rule; without an entry the artifact shows all of it. */
const SEEN_ELSEWHERE: Readonly<Record<string, "in part" | "all">> = {
  tests_exist: "in part",
  tests_cover_acceptance_criteria: "all",
  tests_were_run: "in part",
  tests_failed: "in part",
  implementation_exists: "in part",
  matches_plan: "all",
  tests_passed: "in part",
  all_reviews_completed: "in part",
  no_blocking_issues: "in part",
};

/** The parts of Bylaw that judge a rule of `validation`. */
export const judgesOfRule = (rule: string): readonly string[] =>
  ({ none: ["artifacts"], "in part": ["artifacts", "gates"], all: ["gates"] })[
    Object.hasOwn(SEEN_ELSEWHERE, rule) ? (SEEN_ELSEWHERE[rule] ?? "none") : "none"
  ];

/** What becomes of every key of a contract, by its path. */
export const DISPOSITIONS: Readonly<Record<string, Disposition>> = {
  bylaw: enforced("contract", "without it the faults of the original form are warnings, and newer keys are refused"),
  name: told("names the workflow in drawings and decisions"),
  version: told("names the version in drawings; tokens are bound to the digest of the whole contract instead"),
  description: told("goes to agents with the contract"),
  tools: enforced("contract", "a tool that is named here or known may be named in phases, no other"),
  checks: enforced("gates", "checks that blockers may name; one that nothing names is refused"),
  "checks.{name}.description": told("is part of the message of the check"),
  "checks.{name}.passes_when": enforced("gates", "evaluated over artifacts, evidence and projections at each transition"),
  evidence: enforced("gates", "`reported` lets an agent's own word count for a test run, and each decision says so"),
  test_command: enforced("gates", "run by Bylaw for the checks that judge tests, and recorded as evidence"),
  "test_command.argv": enforced("gates", "started without a shell"),
  "test_command.format": enforced("gates", "a report that is not of this form is no evidence"),
  "test_command.report": enforced("gates", "the file is taken away before the run and read after it"),
  "test_command.timeout_seconds": enforced("gates", "a run that takes longer is ended and counts as neither red nor green"),
  phases: enforced("phases", "a task is in exactly one of them, as the log has it; it begins in the first"),
  "phases[].id": enforced("phases", "no two alike; transitions name it"),
  "phases[].name": told("names the phase in drawings"),
  "phases[].description": told("goes to agents that enter the phase"),
  "phases[].required_artifacts": enforced(
    "artifacts",
    "all of them are there and fit before a transition that is open on `passed`; in a last phase, before the task completes",
  ),
  "phases[].required_artifacts[].type": enforced("artifacts", "the name that it is handed in under; another name does not count"),
  "phases[].required_artifacts[].schema": enforced(
    "artifacts",
    "the artifact fits this JSON Schema; a reference to nothing is refused at load",
  ),
  "phases[].required_artifacts[].description": told("is part of what a missing artifact is reported with"),
  "phases[].required_artifacts[].validation": enforced("gates", "each rule is a blocking check of the artifact"),
  "phases[].required_artifacts[].validation[].rule": enforced(
    "gates",
    "runs, what the artifact itself shows in plugin artifacts; unknown rules are refused at load",
  ),
  "phases[].required_artifacts[].validation[].message": told("is the first part of what is said when the rule does not hold"),
  "phases[].gates": enforced("gates", "asked by the transitions that name them; one that none names is refused"),
  "phases[].gates[].id": enforced("gates", "no two alike; a transition with a gate that is not there is refused at load"),
  "phases[].gates[].type": enforced("gates", "`approval` is pending until enough approvers say yes, after all blocking checks pass"),
  "phases[].gates[].blockers": enforced("gates", "all of them run, and all that do not pass are reported"),
  "phases[].gates[].blockers[].check": enforced("gates", "runs; a check that nothing implements is refused at load"),
  "phases[].gates[].blockers[].severity": enforced("gates", "`blocking` denies the transition, `warning` is told and recorded"),
  "phases[].gates[].blockers[].message": told("is the first part of what is said when the check does not pass"),
  "phases[].gates[].blockers[].threshold": enforced("gates", "the least coverage for `coverage_threshold_met`; refused at another check"),
  "phases[].gates[].blockers[].required_reviews": enforced(
    "gates",
    "the reviews for `all_review_models_completed`; one that nobody is spawned for is refused at load",
  ),
  "phases[].gates[].timeout_seconds": enforced(
    "gates",
    "an open gate is then handled as `recovery.gate_timeout` says, never as a person's no",
  ),
  "phases[].gates[].approvers": enforced("gates", "nobody else's yes counts, and nobody's for work of their own"),
  "phases[].gates[].quorum": enforced("gates", "so many different approvers have to say yes"),
  "phases[].gates[].auto_advance": enforced("gates", "the transition is made when the gate passes, without a request"),
  "phases[].allowed_tools": enforced("phases", "a tool that is not named is denied"),
  "phases[].forbidden_tools": enforced("phases", "denied before anything else is asked"),
  "phases[].tool_constraints": enforced("phases", "an allowed call that breaks one is denied"),
  "phases[].tool_constraints.{name}.allowed_patterns": enforced(
    "phases",
    "each path of the call fits one; what a shell line writes counts as written by `write_files`",
  ),
  "phases[].tool_constraints.{name}.forbidden_patterns": enforced("phases", "no path of the call fits one, links resolved"),
  "phases[].tool_constraints.{name}.allowed_commands": enforced("phases", "each command of the line begins with the words of one"),
  "phases[].tool_constraints.{name}.forbidden_commands": enforced("phases", "no command of the line begins with the words of one"),
  "phases[].auto_spawn": enforced(
    "phases",
    "a directive for each agent when the phase is entered, before the task may go on; the host starts the agents",
  ),
  "phases[].auto_spawn[].agent_type": mapped("phases", "is in the directive"),
  "phases[].auto_spawn[].models": mapped(
    "phases",
    "a directive for each, done by one agent that does no other of them and has not worked on the task",
  ),
  "phases[].auto_spawn[].parallel": mapped("phases", "is in the directive"),
  "phases[].auto_spawn[].wait_for_completion": enforced("gates", "the gate stays pending until each of them has reported"),
  transitions: enforced("phases", "no other way leads from one phase to another"),
  "transitions[].from": enforced("phases", "the phase that the log has, whatever the caller claims"),
  "transitions[].to": enforced("phases", "the only phases that may be asked for"),
  "transitions[].gate": enforced("gates", "what decides; a gate of another phase is refused at load"),
  "transitions[].when": enforced("phases", "`rejected` opens the way only after the gate said no"),
  "transitions[].requires_token": enforced("tokens", "a request without the token of the phase is refused"),
  "transitions[].triggers": enforced("phases", "a directive for each, after the transition is recorded and before the next one"),
  "transitions[].triggers[].action": enforced(
    "phases",
    "is in the directive, which the host carries out; one that nobody knows is refused at load",
  ),
  "transitions[].triggers[].parallel": mapped("phases", "is in the directive"),
  "transitions[].triggers[].params": mapped("phases", "is in the directive"),
  enforcement: enforced("contract", "has to be there: a contract says how it is enforced"),
  "enforcement.mode": enforced("kernel", "`strict` applies decisions, `permissive` lets through and tells, `advisory` records"),
  "enforcement.agent_sdk": mapped("orchestrator", "how the API is offered"),
  "enforcement.agent_sdk.required": enforced("orchestrator", "calls that do not come through the API are refused"),
  "enforcement.agent_sdk.version": enforced("orchestrator", "a client outside of the range is refused as it claims a task"),
  "enforcement.agent_sdk.endpoint": enforced("orchestrator", "where it listens; an open way to another machine is refused at load"),
  "enforcement.agent_sdk.fallback_endpoint": mapped("orchestrator", "where clients look when the first does not answer"),
  "enforcement.phase_tokens": enforced("tokens", "what tokens are"),
  "enforcement.phase_tokens.enabled": enforced("tokens", "whether they are issued and asked for"),
  "enforcement.phase_tokens.algorithm": enforced("tokens", "the only one that is accepted, whatever a token says of itself"),
  "enforcement.phase_tokens.secret_env_var": enforced(
    "tokens",
    "where the secret is read, unless the options name keys; at least 32 bytes",
  ),
  "enforcement.phase_tokens.expiry_seconds": enforced("tokens", "`exp` of each token, a day at most; options may shorten it"),
  "enforcement.phase_tokens.include_claims": enforced(
    "tokens",
    "those that bind a token are always in it; `session` binds it to the session besides",
  ),
  "enforcement.tool_enforcement": enforced("phases", "how tool calls are held to their phase"),
  "enforcement.tool_enforcement.enabled": enforced("phases", "without it no tool call is asked about, which is a finding"),
  "enforcement.tool_enforcement.violation_action": enforced(
    "phases",
    "reject, warn and log are strict, permissive and advisory for tool calls",
  ),
  "enforcement.tool_enforcement.capability_model": enforced("phases", "deny by default; there is no other"),
  "enforcement.tool_enforcement.audit_log": mapped(
    "event-log",
    "the file to name in its options: the log with every decision, denied calls included; agents may not write it",
  ),
  coordination: mapped("orchestrator", "how agents share state"),
  "coordination.state_access": enforced("tasks", "what agents may see"),
  "coordination.state_access.mode": enforced("tasks", "agents get snapshots and write none"),
  "coordination.state_access.snapshot_includes": enforced("tasks", "a snapshot holds these parts and no other"),
  "coordination.state_access.mutation_via": enforced("log", "state changes by events alone, and agents record none"),
  "coordination.event_bus": mapped("store", "the log of the run is the bus"),
  "coordination.event_bus.type": mapped("store", "which store keeps it"),
  "coordination.event_bus.db_path": mapped("store", "where the store is; agents may not write it"),
  "coordination.event_bus.events": enforced("orchestrator", "what agents may watch"),
  "coordination.conflict_resolution": enforced("store", "what happens when two write at once"),
  "coordination.conflict_resolution.strategy": enforced(
    "log",
    "of two transitions of one task exactly one wins, and the other is decided again",
  ),
  "coordination.conflict_resolution.lock_timeout_seconds": enforced("tasks", "a claim without a heartbeat is free again after it"),
  "coordination.conflict_resolution.optimistic_locking": enforced("store", "a write names the state of the task that it was decided on"),
  schemas_dir: enforced("artifacts", "the second place where a schema file is looked for; agents may not write it"),
  schemas: enforced("artifacts", "win over files of the same name; a schema that is none is refused at load"),
  monitoring: mapped("monitoring", "what is measured"),
  "monitoring.metrics": mapped("monitoring", "each is measured from the log"),
  "monitoring.export": mapped("monitoring", "where measurements go"),
  "monitoring.export.type": mapped("monitoring", "one JSON value a line"),
  "monitoring.export.path": mapped("monitoring", "the file; agents may not write it"),
  "monitoring.alerts": enforced("monitoring", "computed from the log"),
  "monitoring.alerts[].condition": enforced("monitoring", "parsed at load; one that cannot be computed is refused"),
  "monitoring.alerts[].action": enforced("monitoring", "an event, which the host hands on to a person"),
  "monitoring.alerts[].message": told("is the text of the notice"),
  recovery: mapped("tasks", "what happens when something stops"),
  "recovery.agent_crash": enforced("tasks", "when a claim lapses without a heartbeat"),
  "recovery.agent_crash.action": enforced("tasks", "the task may be claimed again, or waits for a person"),
  "recovery.agent_crash.max_retries": enforced("tasks", "after so many the task waits for a person"),
  "recovery.agent_crash.backoff_seconds": enforced("tasks", "the task may not be claimed before"),
  "recovery.orchestrator_crash": mapped("log", "the log is folded from its last snapshot"),
  "recovery.orchestrator_crash.resume_from": mapped("log", "the last event; nothing acknowledged is lost"),
  "recovery.orchestrator_crash.checkpoint_interval_seconds": mapped(
    "log",
    "nothing is lost between checkpoints: every event is durable, and projections are kept every thousand events",
  ),
  "recovery.gate_timeout": enforced("gates", "when an open gate runs out of time"),
  "recovery.gate_timeout.action": enforced(
    "gates",
    "a person is called, or the gate is closed as timed out; neither is recorded as a person's no",
  ),
  "recovery.gate_timeout.preserve_state": enforced("gates", "the task stays in its phase with its artifacts"),
};
