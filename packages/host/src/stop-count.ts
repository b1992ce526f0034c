import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How many times in a row an agent is refused to stop. After that it may stop. */
export const MAX_REFUSED_STOPS = 8;

/**
 * Counts the refused stops of a session in a row, in a file of `folder`. The first one is 1. `again`: whether the host says that
 * the agent is continuing because of a refusal. Above {@link MAX_REFUSED_STOPS} it returns undefined and forgets the session.
 */
export function countRefusedStop(
  folder: string,
  { session, again }: { readonly session: string; readonly again: boolean },
): number | undefined {
  const file = fileOf(folder, session);
  const attempt = again ? countIn(file) + 1 : 1;
  if (attempt > MAX_REFUSED_STOPS) {
    forgetStops(folder, session);
    return undefined;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, String(attempt), { mode: 0o600 });
  return attempt;
}

/** Forgets the refused stops of a session, once it may stop. */
export const forgetStops = (folder: string, session: string): void =>
  rmSync(fileOf(folder, session), { force: true });

const fileOf = (folder: string, session: string): string =>
  join(folder, `stop-${createHash("sha256").update(session).digest("hex").slice(0, 32)}`);

function countIn(file: string): number {
  try {
    const count = Number(readFileSync(file, "utf8"));
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}
