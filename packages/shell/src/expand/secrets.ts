import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";

const SECRET =
  /TOKEN|SECRET|PASSW|CREDENTIAL|(?:API|PRIVATE|ACCESS|SIGNING|ENCRYPTION|AUTH)_?KEY|DATABASE_URL|_(?:KEY|PAT|PASS|PWD|DSN)$/i;

/** Records the use of a variable whose name suggests a secret, unless the line itself sets it. */
export function noteUse(walk: WalkState, name: string): void {
  if (SECRET.test(name) && walk.untrusted?.has(name) !== true)
    noteUnknown(walk, "secret", `value of ${quote(`$${name}`)}, which may be a secret`);
}

/** Records the use of every such variable in an arithmetic expression. */
export function noteUses(walk: WalkState, arithmetic: string): void {
  if (!SECRET.test(arithmetic)) return;
  for (const [name] of arithmetic.matchAll(/[A-Za-z_]\w*/g)) noteUse(walk, name);
}
