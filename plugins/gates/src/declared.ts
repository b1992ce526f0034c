import type { Condition, Contract, DeclaredCheck } from "@bylaw/contract";
import {
  BylawError,
  type JsonObject,
  type Kernel,
  type Projection,
  type View,
} from "@bylaw/kernel";
import {
  compileCondition,
  valueAt,
  leavesOf,
  type FactPath,
} from "@bylaw/policy-language/condition";
import { quote } from "@bylaw/wording";
import { no, type CheckInput, type Finding } from "./checks/check-input.ts";
import { isResult, resultOf } from "./checks/test-run.ts";

export type Declared = Kernel["declared"];

/** A check that the contract declares itself. */
export interface DeclaredJudge {
  /** The artifacts that it asks about. */
  readonly reads: readonly string[];
  /** Whether it asks about the test run. */
  readonly evidence: boolean;
  /** Resolves the projections that it asks about. Throws BYLAW_GATE_PROJECTION_UNKNOWN. */
  readonly bind: (declared: Declared) => void;
  readonly judge: (
    input: CheckInput,
    request: JsonObject,
    view: View,
  ) => Promise<readonly Finding[]>;
}

type Comparison = Extract<Condition, { readonly fact: string }>;

const STEP =
  /\.([\p{L}\p{N}_-]+)|\.?\['([^'\u0000-\u001f]+)'\]|\.?\["([^"\u0000-\u001f]+)"\]|\[(0|[1-9]\d{0,8})\]/gu;

/**
 * The checks that a contract declares, by name. Throws BYLAW_GATE_CHECK_INVALID if a path has
 * anything but names and indexes.
 */
export const declaredChecks = (contract: Contract): ReadonlyMap<string, DeclaredJudge> =>
  new Map(contract.checks.map((check) => [check.name, declaredCheck(check, contract.file)]));

function declaredCheck(
  { name, description, passesWhen }: DeclaredCheck,
  file: string,
): DeclaredJudge {
  const leaves = leavesOf<Comparison>(passesWhen);
  const edges = new Map(leaves.map(({ path }) => [path, stepsOf(path, name, file)]));
  const reach = (path: string): FactPath => edges.get(path) ?? [];
  // A missing value never helps a check to pass.
  const comparable = (value: unknown): boolean => value !== undefined;
  const holds = compileCondition(passesWhen, { stepsOf: reach, comparable });
  const asked = leaves
    .filter(({ fact }) => fact === "projections")
    .map(({ path }) => String(reach(path)[0] ?? ""));
  const projections = new Map<string, Projection<unknown>>();
  return {
    reads: leaves
      .filter(({ fact }) => fact === "artifacts")
      .map(({ path }) => String(reach(path)[0] ?? "")),
    evidence: leaves.some(({ fact }) => fact === "evidence"),
    bind(declared) {
      for (const wanted of asked) {
        const found = declared.projections.filter((projection) => projection.name === wanted);
        if (new Set(found).size !== 1) throw unknown(name, wanted, declared, file);
        projections.set(wanted, found[0] as Projection<unknown>);
      }
    },
    async judge(input, request, view) {
      const states = Object.fromEntries(
        [...projections].map(([key, projection]) => [key, view(projection)]),
      );
      const facts = {
        artifacts: artifactsFor(input),
        evidence: evidenceFor(input),
        projections: states,
        task: request,
      };
      if (await holds(facts)) return [];
      const missing = [
        ...new Set(
          leaves.filter(({ fact, path }) => valueAt(facts[fact], reach(path)) === undefined),
        ),
      ];
      const absent = missing.map(({ fact, path }) => `${fact} ${path}`).join(", ");
      return [
        no(
          `${description ?? `The condition of \`${name}\` does not hold`}${absent === "" ? "" : ` (missing: ${absent})`}`,
        ),
      ];
    },
  };
}

// A submitted artifact does not replace one that passed an earlier gate, unless this phase requires
// it again.
function artifactsFor({ artifacts, approved, phase }: CheckInput): JsonObject {
  const own = new Set(phase.artifacts.map(({ type }) => type));
  const kept = Object.entries(approved).filter(([type]) => !own.has(type));
  return { ...artifacts, ...Object.fromEntries(kept) };
}

// A test run that proves nothing, or is older than the workspace, counts as missing.
function evidenceFor(input: CheckInput): JsonObject {
  const result = resultOf(input);
  if (!isResult(result)) return {};
  const { observed, exit_code, passed, failed, skipped, coverage } = result;
  const seen =
    observed === null
      ? {}
      : { duration_ms: observed.duration_ms, observed_by: observed.observed_by };
  return {
    exit_code,
    passed,
    failed,
    skipped,
    ...(coverage === null ? {} : { coverage }),
    ...seen,
  };
}

function stepsOf(path: string, check: string, file: string): FactPath {
  const steps = Array.from(
    path.matchAll(STEP),
    ([, name, single, double, index]): FactPath[number] =>
      name ?? single ?? double ?? Number(index),
  );
  // Names and indexes only: a filter or script in a path would be code.
  if (
    path.startsWith("$.") &&
    steps.length > 0 &&
    `$${Array.from(path.matchAll(STEP), ([text]) => text).join("")}` === path
  )
    return steps;
  throw new BylawError({
    code: "BYLAW_GATE_CHECK_INVALID",
    message: `The path ${quote(path)} in check ${quote(check)} may only have names and indexes, such as \`$.plan_document.tags[0]\``,
    fix: "Write the path without filters, wildcards and scripts",
    source: { file },
  });
}

const unknown = (
  check: string,
  wanted: string,
  { projections }: Declared,
  file: string,
): BylawError =>
  new BylawError({
    code: "BYLAW_GATE_PROJECTION_UNKNOWN",
    message: `Unknown projection ${quote(wanted)} in check ${quote(check)}; the plugins declare ${projections.map(({ name }) => quote(name)).join(", ") || "none"}`,
    fix: "Write it as `$.['its name'].field`, or add the plugin that declares it",
    source: { file },
  });
