import type { Answer } from "./answer.ts";
import { count, place, plain } from "../io/text.ts";

const TOP = 10;

/** Counts answers. Memory grows with the number of rules, not of calls. */
export interface Summary {
  add(answer: Answer): void;
  text(): string;
}

export function createSummary(): Summary {
  let calls = 0;
  const effects = new Map([
    ["allow", 0],
    ["ask_user", 0],
    ["deny", 0],
  ]);
  const codes = new Map<string, number>();
  const rules = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string): void =>
    void counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    add({ effect, code, rule }) {
      calls++;
      add(effects, effect);
      add(codes, code);
      if (rule === undefined) return;
      const { name, file, line } = rule;
      const where =
        file === undefined ? "" : ` (${place({ file, ...(line === undefined ? {} : { line }) })})`;
      add(rules, plain(name) + where);
    },
    text() {
      const list = (counts: Map<string, number>): string =>
        [...counts].map(([name, times]) => `${name} ${times}`).join(", ");
      const lines = [`${count(calls, "call")}: ${list(effects)}`];
      if (codes.size > 0) lines.push(`codes: ${list(descending(codes))}`);
      const top = [...descending(rules)].slice(0, TOP);
      if (top.length > 0) {
        lines.push(
          `rules${rules.size > TOP ? `, the ${TOP} most frequent of ${rules.size}` : ""}:`,
        );
        lines.push(...top.map(([name, times]) => `  ${String(times).padStart(6)}  ${name}`));
      }
      return lines.join("\n");
    },
  };
}

function descending(counts: Map<string, number>): Map<string, number> {
  return new Map([...counts].toSorted(([left, a], [right, b]) => b - a || (left < right ? -1 : 1)));
}
