/** An error refuses the contract; a warning does not. */
export type FindingSeverity = "error" | "warning";

/** The meaning of a finding code. */
export interface FindingMeaning {
  /** The severity in a contract with `bylaw: 1`. */
  readonly severity: FindingSeverity;
  /** The severity in a contract without `bylaw`, the original form. */
  readonly original: FindingSeverity;
  /** The fault, as a row of a table. */
  readonly finds: string;
}

const both = (severity: FindingSeverity, finds: string): FindingMeaning => ({
  severity,
  original: severity,
  finds,
});
const fault = (finds: string): FindingMeaning => ({
  severity: "error",
  original: "warning",
  finds,
});

const CODES = {
  contract_text: both("error", "Bytes that are not UTF-8, an empty file, or more than 256 KiB"),
  contract_yaml: both(
    "error",
    "Text that is not a YAML 1.2 mapping, or YAML that two parsers may read differently: aliases, tags, directives, keys that are not text",
  ),
  duplicate_key: both("error", "A key given twice in one mapping"),
  unknown_key: both("error", "A key that contracts do not have"),
  missing_key: both("error", "A required key that is missing"),
  wrong_value: both(
    "error",
    "A value of the wrong type, out of range, or not one of the accepted words",
  ),
  new_key: both("error", "A key that came with `bylaw: 1` in a contract that does not say it"),
  duplicate_phase: both("error", "Two phases with one id"),
  reserved_phase: both(
    "error",
    "A phase named `@completed`, which is reserved for completed tasks",
  ),
  duplicate_gate: both("error", "Two gates with one id"),
  duplicate_transition: both("error", "Two transitions with the same ends and outcome"),
  duplicate_artifact: both("error", "An artifact that one phase requires twice"),
  duplicate_check: both(
    "error",
    "A check that one gate names twice, or a rule that one artifact names twice",
  ),
  duplicate_entry: both("warning", "A word given twice in one list"),
  unknown_phase: both("error", "A transition from or to an unknown phase"),
  unknown_gate: both("error", "A transition with an unknown gate"),
  unknown_check: both("error", "A gate with a check that nothing implements"),
  unknown_rule: both("error", "A `validation` rule that nothing implements"),
  unknown_tool: both("error", "A tool that is neither known nor named in `tools`"),
  unknown_schema: both("error", "A schema that is neither inline nor a file"),
  unreachable_phase: both("error", "A phase that no path from the first one enters"),
  phase_without_end: both("error", "A phase from which no path leads to an end"),
  no_end: fault("A contract in which every phase has a way out, so that no task ends"),
  several_ends: both(
    "warning",
    "Several phases without a way out: one may have lost its transition",
  ),
  self_transition: both("error", "A transition from a phase to itself"),
  no_way_back: fault(
    "A phase whose gate can reject earlier work, without a transition back to a phase that can fix it",
  ),
  unused_gate: both("error", "A gate that no transition uses"),
  gate_elsewhere: both("error", "A transition with a gate that another phase declares"),
  ungated_transition: both("warning", "A forward transition without a gate"),
  rejection_without_gate: both("error", "A transition on rejection that does not name the gate"),
  rejection_onwards: both("error", "A transition on rejection that leads forward instead of back"),
  tool_conflict: both("error", "A tool that one phase both allows and forbids"),
  constraint_unused: both("error", "A constraint on a tool that its phase does not allow"),
  empty_constraint: both("error", "A constraint that constrains nothing"),
  constraint_kind: both(
    "error",
    "Patterns of paths on a tool that takes none, or commands on a tool that runs none",
  ),
  constraint_conflict: both(
    "error",
    "A pattern or command that one constraint both allows and forbids",
  ),
  constraint_gap: fault(
    "A constraint on `write_files` that `edit_files` of the same phase lacks, or the reverse",
  ),
  work_after_review: fault("A last phase in which reviewed work can still be changed"),
  artifact_not_required: both(
    "error",
    "A check that reads an artifact which is not required on every path to it",
  ),
  artifact_impossible: both(
    "error",
    "A required artifact that nobody can produce: no tool of the phase makes it, or no value fits its schema",
  ),
  tests_unobservable: both(
    "error",
    "A check of test results in a contract without `test_command` that does not accept `reported` ones",
  ),
  review_impossible: both("error", "A required review for which no agent is spawned"),
  schema_invalid: both(
    "error",
    "An artifact schema that is not a JSON Schema, or that refers to something outside itself",
  ),
  unused_schema: both("warning", "An inline schema that no artifact uses"),
  unused_check: both("error", "A declared check that no gate and no artifact names"),
  parameter_unused: both("error", "A parameter on a check that takes none"),
  parameter_missing: both("error", "A check without the parameter that it needs"),
  empty_gate: both("error", "A gate that stops nothing: it has no approvers and no blocking check"),
  approval_without_approvers: both("error", "An approval gate that nobody may approve"),
  approval_conflict: both(
    "error",
    "An approval gate that advances by itself, or a validation gate with approvers",
  ),
  spawned_twice: fault(
    "Agents that both `auto_spawn` and a trigger of the transition before it spawn",
  ),
  token_disabled: both("error", "A transition that requires a token where tokens are off"),
  token_waived: both("warning", "A transition that requires no token where tokens are on"),
  weaker_tools: both(
    "warning",
    "Tool calls that are enforced less strictly than `enforcement.mode` says",
  ),
  endpoint_open: both(
    "error",
    "An endpoint that sends tokens unencrypted to another machine, or that is not an address",
  ),
  path_outside: both("error", "A path that is absolute or leaves the folder of the contract"),
} as const satisfies Readonly<Record<string, FindingMeaning>>;

/** The code of a finding. */
export type FindingCode = keyof typeof CODES;

/** Every finding code, with its severity in both forms of a contract. */
export const FINDING_CODES: Readonly<Record<FindingCode, FindingMeaning>> = CODES;
