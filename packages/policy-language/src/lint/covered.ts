import type { LintPool, LintRule } from "./check.ts";
import { covers, outranks } from "./cover.ts";
import { indexCovers, type CoverIndex } from "./cover-index.ts";
import type { Shape } from "./shape.ts";

/** The rules that never decide, with the rules that decide instead. */
export interface Covers {
  /** Rules covered by one other rule. */
  readonly whole: readonly { readonly rule: LintRule; readonly by: LintRule }[];
  /** Rules covered by several others together. */
  readonly parts: readonly { readonly rule: LintRule; readonly by: readonly LintRule[] }[];
}

const MAX_PARTS = 64;
// The most candidates to compare with a rule. Past that, the rule counts as not covered.
const MAX_CANDIDATES = 500;
const found = new WeakMap<LintPool, Covers>();

/** Finds the rules that never decide, and those that decide instead. Computed once per pool. */
export function coversOf(pool: LintPool): Covers {
  const before = found.get(pool);
  if (before !== undefined) return before;
  const index = indexCovers(pool.rules.filter(({ source }) => !source.shadow));
  const whole: { rule: LintRule; by: LintRule }[] = [];
  const parts: { rule: LintRule; by: readonly LintRule[] }[] = [];
  for (const rule of pool.rules) {
    // A stricter rule does not stop an allow that overrides it.
    if (rule.source.overrides !== undefined) continue;
    const by = coverOf(rule, rule.shape, index, pool);
    if (by !== undefined) {
      whole.push({ rule, by });
      continue;
    }
    const shapes = partsOf(rule.shape);
    if (shapes.length < 2 || shapes.length > MAX_PARTS) continue;
    const each = shapes.map((shape) => coverOf(rule, shape, index, pool));
    if (each.every((one) => one !== undefined)) parts.push({ rule, by: [...new Set(each)] });
  }
  const covered = { whole, parts };
  found.set(pool, covered);
  return covered;
}

function coverOf(
  rule: LintRule,
  shape: Shape,
  index: CoverIndex,
  { tools }: LintPool,
): LintRule | undefined {
  let looked = 0;
  for (const other of index.candidates(shape, tools.shell.keys())) {
    if (++looked > MAX_CANDIDATES) return undefined;
    if (outranks(other, rule) && covers(other, rule, shape, tools)) return other;
  }
  return undefined;
}

// Every combination of one alternative from each list. A call has one tool, one agent and one phase, and each command
// of a line must be allowed.
function partsOf(shape: Shape): readonly Shape[] {
  let shapes: readonly Shape[] = [shape];
  for (const key of ["tools", "commands", "agents", "phases", "modes"] as const) {
    const list = shape[key];
    if (list === undefined || list.length < 2) continue;
    if (shapes.length * list.length > MAX_PARTS) return [];
    shapes = shapes.flatMap((one) => list.map((item) => ({ ...one, [key]: [item] })));
  }
  return shapes;
}
