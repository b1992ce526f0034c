import { quote } from "@bylaw/wording";
import { suggestFix } from "../suggest-fix.ts";
import { reachable, reversed } from "../reach.ts";
import type { PhaseData } from "../schema.ts";
import { PATH_TOOLS, SHELL_TOOLS, TOOLS, WRITING_TOOLS } from "../words.ts";
import type { Located, Subject } from "./subject.ts";

type Constraint = NonNullable<PhaseData["tool_constraints"]>[string];

export function analyseTools(subject: Subject): void {
  const { phases, data, known, report } = subject;
  const tools = new Set<string>([...TOOLS, ...(data.tools ?? []), ...known.tools]);
  const knownTool = (tool: string, at: readonly (string | number)[]): void => {
    if (tools.has(tool)) return;
    report(
      "unknown_tool",
      at,
      `Unknown tool ${quote(tool)}`,
      suggestFix(tool, tools, "Name it under `tools`, with `bylaw: 1` at the top"),
    );
  };
  once(data.tools ?? [], ["tools"], subject);
  for (const phase of phases) {
    const { id, allowed_tools: allowed, forbidden_tools: forbidden = [], at } = phase;
    for (const [key, list] of [
      ["allowed_tools", allowed],
      ["forbidden_tools", forbidden],
    ] as const) {
      once(list, [...at, key], subject);
      for (const [index, tool] of list.entries()) knownTool(tool, [...at, key, index]);
    }
    for (const [index, tool] of allowed.entries()) {
      if (!forbidden.includes(tool)) continue;
      report(
        "tool_conflict",
        [...at, "allowed_tools", index],
        `The phase ${quote(id)} both allows and forbids the tool ${quote(tool)}`,
        "Remove it from one of the lists. Until then it is forbidden.",
      );
    }
    analyseConstraints(phase, subject, knownTool);
  }
  analyseLastWork(subject);
}

function once(
  list: readonly string[],
  at: readonly (string | number)[],
  { report }: Subject,
): void {
  for (const [index, entry] of list.entries()) {
    if (list.indexOf(entry) < index)
      report("duplicate_entry", [...at, index], `${quote(entry)} is listed twice`, "Remove one");
  }
}

function analyseConstraints(
  phase: Located<PhaseData>,
  subject: Subject,
  knownTool: (tool: string, at: readonly (string | number)[]) => void,
): void {
  const { report } = subject;
  const { id, allowed_tools: allowed, tool_constraints: constraints = {}, at } = phase;
  for (const [tool, constraint] of Object.entries(constraints)) {
    const place = [...at, "tool_constraints", tool];
    knownTool(tool, place);
    analyseLists(tool, constraint, place, subject);
    if (!allowed.includes(tool)) {
      report(
        "constraint_unused",
        place,
        `The constraint on ${quote(tool)} has no effect: ${quote(id)} does not allow that tool`,
        suggestFix(tool, allowed, "Remove it, or allow the tool"),
      );
    }
  }
  const [open, bound] = unconstrainedWriter(phase);
  if (open !== undefined && bound !== undefined) {
    report(
      "constraint_gap",
      [...at, "tool_constraints", bound],
      `${quote(id)} constrains ${quote(bound)} but not ${quote(open)}, which can write the same files`,
      `Copy it to ${quote(open)}`,
    );
  }
}

function analyseLists(
  tool: string,
  constraint: Constraint,
  place: readonly (string | number)[],
  { report }: Subject,
): void {
  const { allowed_patterns, forbidden_patterns, allowed_commands, forbidden_commands } = constraint;
  if (
    allowed_patterns === undefined &&
    allowed_commands === undefined &&
    !forbidden_patterns?.length &&
    !forbidden_commands?.length
  ) {
    report(
      "empty_constraint",
      place,
      `The constraint on ${quote(tool)} constrains nothing`,
      "Add a list, or remove it",
    );
  }
  const wrong = (keys: readonly (keyof Constraint)[], what: string): void => {
    for (const key of keys) {
      if (constraint[key] !== undefined)
        report(
          "constraint_kind",
          [...place, key],
          `\`${key}\` has no effect on ${quote(tool)}, which takes ${what}`,
          "Move it to a tool that takes it",
        );
    }
  };
  if (SHELL_TOOLS.includes(tool)) wrong(["allowed_patterns", "forbidden_patterns"], "commands");
  else if (PATH_TOOLS.includes(tool))
    wrong(["allowed_commands", "forbidden_commands"], "patterns of paths");
  for (const [key, one = [], other = []] of [
    ["allowed_patterns", allowed_patterns, forbidden_patterns],
    ["allowed_commands", allowed_commands, forbidden_commands],
  ] as const) {
    for (const [index, entry] of one.entries()) {
      if (other.includes(entry))
        report(
          "constraint_conflict",
          [...place, key, index],
          `${quote(entry)} is both allowed and forbidden`,
          "Remove it from one of the lists",
        );
    }
  }
}

/**
 * If a phase allows both writing tools and constrains only one: the unconstrained tool, then the
 * constrained one. Otherwise empty.
 */
export function unconstrainedWriter({
  allowed_tools: allowed,
  tool_constraints: constraints = {},
}: PhaseData): readonly (string | undefined)[] {
  if (!WRITING_TOOLS.every((tool) => allowed.includes(tool))) return [];
  const bound = WRITING_TOOLS.filter((tool) => Object.hasOwn(constraints, tool));
  return bound.length === 1 ? [WRITING_TOOLS.find((tool) => !bound.includes(tool)), bound[0]] : [];
}

function analyseLastWork(subject: Subject): void {
  for (const { phase, tool } of lastWork(subject)) {
    subject.report(
      "work_after_review",
      [...phase.at, "allowed_tools", phase.allowed_tools.indexOf(tool)],
      `${quote(phase.id)} comes after the last gate and allows ${quote(tool)} without constraints, so reviewed work can still change`,
      `Constrain it under \`tool_constraints\`, or remove it from ${quote(phase.id)}`,
    );
  }
}

// Only a list of allowed values restricts a tool. A list of forbidden ones leaves everything else
// open.
function bounded(constraints: NonNullable<PhaseData["tool_constraints"]>, tool: string): boolean {
  if (!Object.hasOwn(constraints, tool)) return false;
  const { allowed_patterns, allowed_commands } = constraints[tool] ?? {};
  return allowed_patterns !== undefined || allowed_commands !== undefined;
}

/**
 * The last phases in which earlier work can still be changed after the last gate, and the tools
 * that can do so.
 */
export function lastWork({
  phases,
  edges,
  works,
}: Subject): readonly { readonly phase: Located<PhaseData>; readonly tool: string }[] {
  return phases.flatMap((phase) => {
    const { id, allowed_tools, forbidden_tools = [], tool_constraints: constraints = {} } = phase;
    const gated = edges.some(({ to, gate }) => to === id && gate !== undefined);
    if (!gated || edges.some(({ from }) => from === id)) return [];
    const before = reachable([id], reversed(edges));
    if (!phases.some((other) => other.id !== id && before.has(other.id) && works(other))) return [];
    return [...WRITING_TOOLS, "bash"]
      .filter(
        (tool) =>
          allowed_tools.includes(tool) &&
          !forbidden_tools.includes(tool) &&
          !bounded(constraints, tool),
      )
      .map((tool) => ({ phase, tool }));
  });
}
