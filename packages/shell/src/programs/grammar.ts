import type { OptionGroup, OperandRole } from "./option-groups.ts";
import type { Grammar, Option, Spec } from "./program-spec.ts";

const compiled = new WeakMap<Spec, Grammar>();
const NO_OPTIONS: readonly OptionGroup[] = [];
const NO_OPERANDS: NonNullable<Spec["operands"]> = [];

/** The compiled options of a spec. Compiled on first use. */
export function grammarOf(spec: Spec): Grammar {
  let grammar = compiled.get(spec);
  if (grammar === undefined) compiled.set(spec, (grammar = compile(spec)));
  return grammar;
}

function compile({ options = NO_OPTIONS, operands = NO_OPERANDS }: Spec): Grammar {
  const short = new Map<string, Option>();
  const long = new Map<string, Option>();
  const wordy = new Map<string, Option>();
  const ids = new Map<string, string>();
  for (const { names, value, role, does } of options) {
    for (const entry of names.split(/\s+/)) {
      const spellings = entry.split(",");
      // Several similar options may share their last name.
      const id = idOf(spellings.findLast((spelled) => !ids.has(spelled)) ?? "");
      for (const spelled of spellings) if (!ids.has(spelled)) ids.set(spelled, id);
      const name = (spellings.at(-1) ?? "").replace(/^[-+]+/, "");
      for (const spelled of spellings) {
        const option = { name, spelled, id: ids.get(spelled) ?? spelled, value, role, does };
        if (spelled.startsWith("--")) long.set(spelled.slice(2), option);
        else if (spelled.length > 2 || spelled.startsWith("+")) wordy.set(spelled, option);
        else short.set(spelled.slice(1), option);
      }
    }
  }
  return { short, long, wordy, operands: operands.map(operandRole) };
}

// Treats `-word` and `--word` as the same name.
function idOf(name: string): string {
  return /^-[^-]./.test(name) ? `-${name}` : name;
}

function operandRole(operand: NonNullable<Spec["operands"]>[number]): OperandRole {
  return typeof operand === "string" ? { role: operand, does: undefined, repeats: false } : operand;
}
