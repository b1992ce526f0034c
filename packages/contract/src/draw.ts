import type { Contract, Gate, Phase, Transition } from "./model.ts";

/**
 * Prints the phase graph for a person: every phase with its tools, its artifacts and its
 * transitions.
 */
export function graphText(contract: Contract): string {
  const { name, version, form, enforcement, initial, ends, phases, transitions, gates } = contract;
  const gateOf = new Map(gates.map((gate) => [gate.id, gate]));
  const lines = [
    `${plain(name)} ${plain(version)} (${form === "original" ? "original form" : `form ${form}`}, ${enforcement.mode})`,
  ];
  for (const phase of phases) {
    const marks = [
      ...(phase.id === initial ? ["start"] : []),
      ...(ends.includes(phase.id) ? ["end"] : []),
    ];
    lines.push(
      "",
      `${plain(phase.id)}  ${plain(phase.name)}${marks.length === 0 ? "" : `  [${marks.join(", ")}]`}`,
      ...bodyOf(phase),
    );
    for (const transition of transitions.filter(({ from }) => from === phase.id))
      lines.push(...wayOf(transition, gateOf));
  }
  return `${lines.join("\n")}\n`;
}

function bodyOf({
  allowedTools,
  forbiddenTools,
  constraints,
  artifacts,
  spawns,
}: Phase): readonly string[] {
  const list = (label: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`  ${label.padEnd(9)} ${items.map(plain).join(", ")}`];
  return [
    ...list("allows", allowedTools),
    ...list("forbids", forbiddenTools),
    ...constraints.flatMap(
      ({ tool, allowedPatterns, forbiddenPatterns, allowedCommands, forbiddenCommands }) => [
        ...list(`${tool}:`, [
          ...(allowedPatterns ?? []),
          ...(allowedCommands ?? []),
          ...[...forbiddenPatterns, ...forbiddenCommands].map((entry) => `not ${entry}`),
        ]),
      ],
    ),
    ...list(
      "spawns",
      spawns.flatMap(({ agentType, models }) => models.map((model) => `${agentType}/${model}`)),
    ),
    ...list(
      "needs",
      artifacts.map(({ type, schema }) =>
        schema === undefined ? type : `${type} (${schema.ref})`,
      ),
    ),
  ];
}

function wayOf(
  { from: _, to, gate, when, requiresToken, triggers }: Transition,
  gateOf: ReadonlyMap<string, Gate>,
): readonly string[] {
  const guard =
    gate === undefined ? "no gate" : `${plain(gate)}${when === "rejected" ? " rejected" : ""}`;
  const found = gate === undefined || when === "rejected" ? undefined : gateOf.get(gate);
  const asks =
    found?.type === "approval"
      ? [`  approval by ${found.quorum} of ${found.approvers.map(plain).join(", ")}`]
      : [];
  return [
    `  → ${plain(to)}  [${guard}${requiresToken ? ", token" : ""}]`,
    ...asks.map((line) => `  ${line}`),
    ...(found?.checks ?? []).map(
      ({ check, severity }) =>
        `    ${severity === "blocking" ? "checks" : "warns "} ${plain(check)}`,
    ),
    ...triggers.map(({ action }) => `    then   ${action}`),
  ];
}

/** Draws the phase graph as a Mermaid flowchart. Transitions after a rejection are dotted. */
export function graphMermaid({ phases, transitions, gates, initial, ends }: Contract): string {
  const node = new Map(phases.map(({ id }, index) => [id, `p${index}`]));
  const approval = new Set(gates.flatMap(({ id, type }) => (type === "approval" ? [id] : [])));
  const lines = phases.map(({ id, name }) => {
    const label = `"${entity(id)}<br/>${entity(name)}"`;
    const round = id === initial || ends.includes(id);
    return `  ${node.get(id) ?? ""}${round ? `([${label}])` : `[${label}]`}`;
  });
  for (const { from, to, gate, when } of transitions) {
    const label =
      gate === undefined
        ? ""
        : `|"${entity(gate)}${when === "rejected" ? " rejected" : approval.has(gate) ? " (approval)" : ""}"|`;
    lines.push(
      `  ${node.get(from) ?? ""} ${when === "rejected" ? "-.->" : "-->"}${label} ${node.get(to) ?? ""}`,
    );
  }
  return `flowchart TD\n${lines.join("\n")}\n`;
}

// Replaces characters that a terminal acts on.
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");

// Escapes characters that could end a label or begin markup in it.
const entity = (text: string): string =>
  plain(text).replace(/[^\p{L}\p{N} ._:,/()-]/gu, (char) => `#${char.codePointAt(0) ?? 63};`);
