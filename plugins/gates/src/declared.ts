import type { Condition, Contract, DeclaredCheck } from "@bylaw/contract";
import {
  BylawError,
  type Json,
  type JsonObject,
  type Kernel,
  type Projection,
  type View,
} from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { Engine, type TopLevelCondition } from "json-rules-engine";
import { no, type CheckInput, type Finding } from "./checks/check-input.ts";
import { isResult, resultOf } from "./checks/test-run.ts";

/** What the plugins of the kernel declare. */
export type Declared = Kernel["declared"];

/** A check that the contract declares itself. */
export interface DeclaredJudge {
  /** The artifacts that it asks about. */
  readonly reads: readonly string[];
  /** It asks about the test run. */
  readonly evidence: boolean;
  /** Finds the projections that it asks about. Throws BYLAW_GATE_PROJECTION_UNKNOWN. */
  readonly bind: (declared: Declared) => void;
  readonly judge: (
    input: CheckInput,
    request: JsonObject,
    view: View,
  ) => Promise<readonly Finding[]>;
}

type Comparison = Extract<Condition, { readonly fact: string }>;
type Step = string | number;

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
  const leaves = leavesOf(passesWhen);
  const edges = new Map(leaves.map(({ path }) => [path, stepsOf(path, name, file)]));
  const conditions = guarded(passesWhen, false) as TopLevelCondition;
  const wholeCondition = (
    "fact" in passesWhen ? { all: [conditions] } : conditions
  ) as TopLevelCondition;
  const asked = leaves
    .filter(({ fact }) => fact === "projections")
    .map(({ path }) => String(edges.get(path)?.[0] ?? ""));
  const projections = new Map<string, Projection<unknown>>();
  const pathResolver = (value: object, path: string): unknown =>
    follow(value, edges.get(path) ?? []);
  return {
    reads: leaves
      .filter(({ fact }) => fact === "artifacts")
      .map(({ path }) => String(edges.get(path)?.[0] ?? "")),
    evidence: leaves.some(({ fact }) => fact === "evidence"),
    bind(declared) {
      for (const wanted of asked) {
        const found = declared.projections.filter((projection) => projection.name === wanted);
        if (new Set(found).size !== 1) throw unknown(name, wanted, declared, file);
        projections.set(wanted, found[0] as Projection<unknown>);
      }
    },
    async judge(input, request, view) {
      // One engine per evaluation: an engine that ends one run also stops its other runs, which
      // then return nothing.
      const engine = new Engine([{ conditions: wholeCondition, event: { type: name } }], {
        allowUndefinedFacts: true,
        pathResolver,
      });
      engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(
        "knownAnd",
        (a, b, next) => a !== undefined && next(a, b),
      );
      engine.addOperatorDecorator<unknown, unknown, unknown, unknown>(
        "unknownOr",
        (a, b, next) => a === undefined || next(a, b),
      );
      const states = Object.fromEntries(
        [...projections].map(([key, projection]) => [key, view(projection)]),
      );
      const facts = {
        artifacts: artifactsFor(input),
        evidence: evidenceFor(input),
        projections: states,
        task: request,
      };
      const { results, failureResults } = await engine.run(facts);
      if (results.length + failureResults.length !== 1)
        throw new Error("json-rules-engine did not return exactly one result");
      if (results.length === 1) return [];
      const missing = [
        ...new Set(
          leaves.filter(
            ({ fact, path }) => follow(facts[fact], edges.get(path) ?? []) === undefined,
          ),
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

const leavesOf = (condition: Condition): readonly Comparison[] =>
  "all" in condition
    ? condition.all.flatMap(leavesOf)
    : "any" in condition
      ? condition.any.flatMap(leavesOf)
      : "not" in condition
        ? leavesOf(condition.not)
        : [condition];

// A missing value never helps a check to pass: it is false, or true inside an odd number of `not`s.
function guarded(condition: Condition, negated: boolean): object {
  if ("all" in condition) return { all: condition.all.map((one) => guarded(one, negated)) };
  if ("any" in condition) return { any: condition.any.map((one) => guarded(one, negated)) };
  if ("not" in condition) return { not: guarded(condition.not, !negated) };
  return { ...condition, operator: `${negated ? "unknownOr" : "knownAnd"}:${condition.operator}` };
}

function stepsOf(path: string, check: string, file: string): readonly Step[] {
  const steps = Array.from(
    path.matchAll(STEP),
    ([, name, single, double, index]): Step => name ?? single ?? double ?? Number(index),
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

// Own keys of objects and indexes of lists.
function follow(from: unknown, steps: readonly Step[]): Json | undefined {
  let value = from;
  for (const step of steps) {
    if (
      typeof value !== "object" ||
      value === null ||
      Array.isArray(value) !== (typeof step === "number")
    )
      return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<Step, unknown>>)[step];
  }
  return typeof value === "function" ? undefined : (value as Json | undefined);
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
