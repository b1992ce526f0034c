import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import type { PhaseOptions } from "./options.ts";

/** The plugins that enforce the rest of a contract, by what they enforce, and whether a contract asks for that. */
const ENFORCERS = {
  artifacts: { plugin: "@bylaw/plugin-artifacts", asked: ({ phases }: Contract) => phases.some((phase) => phase.artifacts.length > 0) },
  gates: { plugin: "@bylaw/plugin-gates", asked: ({ gates }: Contract) => gates.length > 0 },
  tokens: { plugin: "@bylaw/plugin-tokens", asked: ({ enforcement }: Contract) => enforcement.tokens.enabled },
} as const;

type Part = keyof typeof ENFORCERS;

/** Throws BYLAW_CONTRACT_UNENFORCED where the contract asks for what no plugin enforces, unless it is said that something else does. */
export function checkEnforced(contract: Contract, { contract: file, elsewhere }: PhaseOptions, plugins: readonly string[]): void {
  const missing = (Object.keys(ENFORCERS) as Part[]).filter((part) => {
    const { plugin, asked } = ENFORCERS[part];
    return asked(contract) && !plugins.includes(plugin) && !elsewhere.includes(part);
  });
  if (missing.length === 0) return;
  const names = missing.map((part) => `\`${ENFORCERS[part].plugin}\``).join(", ");
  const lines = missing.map((part) => `\`${part}({ contract: ${JSON.stringify(file)} })\` of \`${ENFORCERS[part].plugin}\``).join(", ");
  throw new BylawError({
    code: "BYLAW_CONTRACT_UNENFORCED",
    message: `Unexpected configuration without ${names}, expected all that the contract asks for enforced: ${missing.join(", ")}`,
    fix: `add to \`plugins\`: ${lines}; where something else enforces it, say \`elsewhere: ${JSON.stringify(missing)}\` in the options of \`phases\``,
    source: { file: contract.file },
  });
}
