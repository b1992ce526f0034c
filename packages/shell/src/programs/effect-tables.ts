import type { EffectPatterns, EffectTable } from "./effect-patterns.ts";
import { GIT_EFFECTS } from "./git-effects.ts";
import { PACKAGE_EFFECTS } from "./package-effects.ts";
import { SERVICE_EFFECTS } from "./service-effects.ts";
import { SYSTEM_EFFECTS } from "./system-effects.ts";

const FAMILIES: readonly EffectTable[] = [
  GIT_EFFECTS,
  PACKAGE_EFFECTS,
  SERVICE_EFFECTS,
  SYSTEM_EFFECTS,
];

let tables: Map<string, EffectPatterns> | undefined;

/** The effects of a program, by its base name. */
export function effectsOf(name: string): EffectPatterns | undefined {
  tables ??= new Map(
    FAMILIES.flatMap((family) =>
      Object.entries(family).flatMap(([names, table]) =>
        names.split(/\s+/).map((one) => [one, table] as const),
      ),
    ),
  );
  return tables.get(name);
}
