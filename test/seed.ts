import { configureGlobal } from "fast-check";

/**
 * Properties are tried on the same values each time, so the same commit gives the same result. `BYLAW_SEED=random` (or a number)
 * tries others; `npm run fuzz` does so for command lines.
 */
const asked = process.env["BYLAW_SEED"] ?? "20261123";
if (asked !== "random") {
  const seed = Number(asked);
  if (!Number.isSafeInteger(seed))
    throw new Error(`BYLAW_SEED must be \`random\` or a whole number, not \`${asked}\``);
  configureGlobal({ seed });
}
