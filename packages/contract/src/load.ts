import { freezeJson } from "@bylaw/kernel";
import { analyseGates } from "./analyse/gates.ts";
import { analyseGraph } from "./analyse/graph.ts";
import { analyseNames } from "./analyse/names.ts";
import { analyseSettings } from "./analyse/settings.ts";
import { subjectOf, type Subject } from "./analyse/subject.ts";
import { analyseTools } from "./analyse/tools.ts";
import { Findings, type Report } from "./findings.ts";
import type { FindingCode } from "./finding-codes.ts";
import { ContractError, type ContractFinding } from "./finding.ts";
import { digestedOf, modelOf } from "./model-of.ts";
import type { Contract } from "./model.ts";
import { digestOf, resolveSchemas, type ReadSchema } from "./resolve-schemas.ts";
import { shapeOf } from "./shape.ts";
import { readSource, textOf } from "./source.ts";

/** Names that a contract may use without declaring them, and its schema files. */
export interface ContractOptions {
  /** The tools of the host. */
  readonly tools?: readonly string[];
  /** The checks of plugins. */
  readonly checks?: readonly string[];
  /** Reads a schema file. If left out, each reference to a schema file is an error. */
  readonly readSchema?: ReadSchema;
}

/** The result of reading a contract. */
export interface ContractReport {
  /** The contract. Undefined if a finding is an error. */
  readonly contract: Contract | undefined;
  /** Errors and warnings, in the order of the text. */
  readonly findings: readonly ContractFinding[];
}

/**
 * Reads a contract and reports all of its faults. Text that does not parse hides everything else; a
 * part with a wrong shape hides only what depends on it. Never throws.
 */
export function lintContract(
  input: string | Uint8Array,
  file: string,
  options: ContractOptions = {},
): ContractReport {
  const collected = new Findings(file);
  const contract = read(input, file, options, collected);
  const findings = collected.list();
  if (contract === undefined || collected.failed) return { contract: undefined, findings };
  return { contract: Object.freeze({ ...contract, warnings: findings }), findings };
}

/**
 * Reads a contract and freezes it. Throws `ContractError` with all findings if one of them is an
 * error.
 */
export function parseContract(
  input: string | Uint8Array,
  file: string,
  options: ContractOptions = {},
): Contract {
  const { contract, findings } = lintContract(input, file, options);
  if (contract === undefined) throw new ContractError(findings);
  return contract;
}

function read(
  input: string | Uint8Array,
  file: string,
  options: ContractOptions,
  collected: Findings,
): Omit<Contract, "warnings"> | undefined {
  const analysed = analyse(input, options, collected);
  if (analysed === undefined) return undefined;
  const { subject, schemas } = analysed;
  if (collected.failed) return undefined;
  const model = modelOf(subject, file, schemas);
  return {
    ...(freezeJson(model) as unknown as typeof model),
    digest: digestOf(freezeJson(digestedOf(subject.data, schemas))),
  };
}

interface Analysed {
  readonly subject: Subject;
  readonly schemas: ReturnType<typeof resolveSchemas>;
}

// Findings that do not depend on parts of the contract that may be missing.
const LOCAL: ReadonlySet<FindingCode> = new Set([
  ...(["duplicate_phase", "reserved_phase", "duplicate_gate", "duplicate_transition"] as const),
  ...([
    "duplicate_artifact",
    "duplicate_check",
    "duplicate_entry",
    "unknown_phase",
    "unknown_gate",
  ] as const),
  ...(["unknown_tool", "self_transition", "tool_conflict"] as const),
  ...(["empty_constraint", "constraint_kind", "constraint_conflict", "schema_invalid"] as const),
  ...(["parameter_unused", "parameter_missing", "endpoint_open", "path_outside"] as const),
]);

/**
 * Reads and analyses a contract without building the model. Undefined if too little of it is valid.
 */
export function analyse(
  input: string | Uint8Array,
  { tools = [], checks = [], readSchema = () => undefined }: ContractOptions,
  collected: Findings,
): Analysed | undefined {
  const text = textOf(input, collected);
  const source = text === undefined ? undefined : readSource(text, collected);
  if (source === undefined) return undefined;
  const { data, places } = source;
  collected.original = !(typeof data === "object" && data !== null && Object.hasOwn(data, "bylaw"));
  const { data: shaped, isReplaced, isGuessed } = shapeOf(data, places, collected);
  if (shaped === undefined) return undefined;
  const report: Report = (code, path, message, fix) => {
    if (isReplaced(path) || (isGuessed && !LOCAL.has(code))) return;
    collected.add(code, places.value(path), message, fix);
  };
  const subject = subjectOf(shaped, { tools, checks }, report);
  analyseNames(subject);
  analyseGraph(subject);
  analyseTools(subject);
  analyseGates(subject);
  analyseSettings(subject);
  return { subject, schemas: resolveSchemas(subject, readSchema) };
}
