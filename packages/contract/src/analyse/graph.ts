import { quote, quoteAll } from "@bylaw/wording";
import { reachable, reversed } from "../reach.ts";
import { phaseOf, type Subject } from "./subject.ts";

export function analyseGraph(subject: Subject): void {
  const { phases, edges, initial, report } = subject;
  const entered = reachable([initial], edges);
  for (const { id, at } of phases) {
    if (entered.has(id)) continue;
    report(
      "unreachable_phase",
      [...at, "id"],
      `No path from ${quote(initial)} reaches the phase ${quote(id)}`,
      "Add a transition to it, or remove it",
    );
  }
  analyseEnds(subject, entered);
  analyseWayBack(subject, entered);
  analyseTransitions(subject);
  analyseRejections(subject);
  analyseUnusedGates(subject);
}

function analyseTransitions({ phases, gates, transitions, report }: Subject): void {
  const order = new Map(phases.map(({ id }, index) => [id, index]));
  const gateOf = new Map(gates.map((gate) => [gate.id, gate]));
  for (const { from, to, gate, when = "passed", at } of transitions) {
    if (from === to)
      report(
        "self_transition",
        at,
        `The transition from ${quote(from)} leads back to itself`,
        "Remove it: a task stays in its phase without it",
      );
    const declaredIn = gate === undefined ? undefined : gateOf.get(gate)?.phase;
    if (declaredIn !== undefined && declaredIn !== from) {
      report(
        "gate_elsewhere",
        [...at, "gate"],
        `The gate ${quote(gate ?? "")} belongs to the phase ${quote(declaredIn)}, not to ${quote(from)}`,
        `Declare a gate in ${quote(from)}`,
      );
    }
    if (gate !== undefined) continue;
    if (when === "rejected")
      report("rejection_without_gate", at, "`when: rejected` needs a `gate`", "Name the gate");
    else if ((order.get(to) ?? 0) > (order.get(from) ?? 0)) {
      report(
        "ungated_transition",
        at,
        `No gate guards the transition from ${quote(from)} to ${quote(to)}`,
        "Name a gate; without one only the required artifacts are checked",
      );
    }
  }
}

function analyseUnusedGates({ gates, transitions, report }: Subject): void {
  const known = new Set(gates.map(({ id }) => id));
  const asked = new Set(
    transitions.flatMap(({ gate, when = "passed" }) =>
      when === "passed" && gate !== undefined ? [gate] : [],
    ),
  );
  // A misspelt gate has a finding already.
  const misspelt = new Set(
    transitions.flatMap(({ from, gate }) => (gate !== undefined && !known.has(gate) ? [from] : [])),
  );
  for (const { id, phase, at } of gates) {
    if (asked.has(id) || misspelt.has(phase)) continue;
    report(
      "unused_gate",
      [...at, "id"],
      `No transition from ${quote(phase)} uses the gate ${quote(id)}`,
      `Write \`gate: ${id}\` at the transition that it guards`,
    );
  }
}

// A rejection must send work back. If no approval leads further, it may end the task.
function analyseRejections({ edges, report }: Subject): void {
  for (const { from, to, gate, when, at } of edges) {
    if (when !== "rejected" || reachable([to], edges).has(from)) continue;
    const end = edges.every((edge) => edge.from !== to);
    if (end && edges.every((edge) => edge.to !== to || edge.when === "rejected")) continue;
    report(
      "rejection_onwards",
      at,
      `When ${quote(gate ?? "")} rejects, work must go back to a phase before ${quote(from)}, not on to ${quote(to)}`,
      "Name the phase where the work is fixed",
    );
  }
}

function analyseEnds({ phases, edges, report }: Subject, entered: ReadonlySet<string>): void {
  const left = new Set(edges.filter(({ from, to }) => from !== to).map(({ from }) => from));
  const ends = phases.filter(({ id }) => !left.has(id));
  const [first] = phases;
  if (ends.length === 0 && first !== undefined) {
    report(
      "no_end",
      first.at,
      "Every phase has a transition out of it, so no task ever ends",
      "Add a last phase that no transition leaves",
    );
    return;
  }
  const ending = reachable(
    ends.map(({ id }) => id),
    reversed(edges),
  );
  for (const { id, at } of phases) {
    if (ending.has(id) || !entered.has(id)) continue;
    report(
      "phase_without_end",
      [...at, "id"],
      `No path leads from the phase ${quote(id)} to an end: ${quoteAll(ends.map((end) => end.id))}`,
      "Add a transition out of the cycle",
    );
  }
  const open = ends.filter(({ id }) => entered.has(id));
  for (const { id, at } of open.slice(0, -1)) {
    report(
      "several_ends",
      [...at, "id"],
      `The phase ${quote(id)} is another end besides ${quote(open.at(-1)?.id ?? "")}`,
      `Add the transition that leaves ${quote(id)}, unless tasks may end there`,
    );
  }
}

/** Finds gates that can reject work of earlier phases, without a transition back. */
function analyseWayBack(subject: Subject, entered: ReadonlySet<string>): void {
  const { report, edges } = subject;
  for (const { phase, gate, back, at } of rejections(subject)) {
    if (!entered.has(phase)) continue;
    const [to] = back;
    report(
      "no_way_back",
      at,
      `The gate ${quote(gate)} can reject work in ${quote(phase)}, but no transition leads back to a phase that can fix it`,
      to === undefined || edges.length === 0
        ? "Add a transition back"
        : `Add \`{ from: ${phase}, to: ${to}, gate: ${gate}, when: rejected }\`, as \`bylaw contract migrate\` does`,
    );
  }
}

/** A gate that can reject work which its own phase cannot fix. */
export interface Rejection {
  readonly phase: string;
  readonly gate: string;
  /** The phases to which work could go back, nearest first. */
  readonly back: readonly string[];
  readonly at: readonly (string | number)[];
}

/** The gates that can reject work but have no transition back. */
export function rejections(subject: Subject): readonly Rejection[] {
  const { phases, gates, edges, initial, works } = subject;
  const found: Rejection[] = [];
  for (const gate of gates) {
    const phase = phaseOf(subject, gate.phase);
    const judges =
      gate.type === "approval" ||
      gate.blockers?.some(({ check }) => check === "no_blocking_issues") === true;
    const out = edges.find(
      (edge) => edge.from === gate.phase && edge.gate === gate.id && edge.when !== "rejected",
    );
    if (phase === undefined || !judges || out === undefined || phase.id === initial || works(phase))
      continue;
    const before = reachable([phase.id], reversed(edges));
    const makers = phases.filter(
      ({ id, ...rest }) => id !== phase.id && before.has(id) && works({ id, ...rest }),
    );
    const after = reachable([phase.id], edges);
    if (makers.length === 0 || makers.some(({ id }) => after.has(id))) continue;
    const direct = new Set(edges.filter(({ to }) => to === phase.id).map(({ from }) => from));
    const back = [...makers]
      .reverse()
      .sort((a, b) => Number(direct.has(b.id)) - Number(direct.has(a.id)));
    found.push({ phase: phase.id, gate: gate.id, back: back.map(({ id }) => id), at: out.at });
  }
  return found;
}
