import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import type { PhaseOptions } from "./options.ts";

/**
 * The plugins that enforce the other parts of a contract, with a test of whether a contract uses
 * that part.
 */
const ENFORCERS = {
  artifacts: {
    plugin: "@bylaw/plugin-artifacts",
    asked: ({ phases }: Contract) => phases.some((phase) => phase.artifacts.length > 0),
  },
  gates: { plugin: "@bylaw/plugin-gates", asked: ({ gates }: Contract) => gates.length > 0 },
  tokens: {
    plugin: "@bylaw/plugin-tokens",
    asked: ({ enforcement }: Contract) => enforcement.tokens.enabled,
  },
} as const;

type Part = keyof typeof ENFORCERS;

/**
 * Throws BYLAW_CONTRACT_UNENFORCED if the contract has a part that no plugin enforces and
 * `elsewhere` does not name.
 */
export function checkEnforced(
  contract: Contract,
  { contract: file, elsewhere }: PhaseOptions,
  plugins: readonly string[],
): void {
  const missing = (Object.keys(ENFORCERS) as Part[]).filter((part) => {
    const { plugin, asked } = ENFORCERS[part];
    return asked(contract) && !plugins.includes(plugin) && !elsewhere.includes(part);
  });
  if (missing.length === 0) return;
  const names = missing.map((part) => `\`${ENFORCERS[part].plugin}\``).join(", ");
  const lines = missing
    .map(
      (part) =>
        `\`${part}({ contract: ${JSON.stringify(file)} })\` of \`${ENFORCERS[part].plugin}\``,
    )
    .join(", ");
  throw new BylawError({
    code: "BYLAW_CONTRACT_UNENFORCED",
    message: `The contract asks for ${missing.join(", ")}, but the configuration lacks ${names}`,
    fix: `Add to \`plugins\`: ${lines}. If something else enforces it, set \`elsewhere: ${JSON.stringify(missing)}\` in the options of \`phases\``,
    source: { file: contract.file },
  });
}
