import { noteUnknown, quote, type WalkState } from "../walk/walk-state.ts";

const SECRET =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|BEARER|JWT|WEBHOOK|CONNECTION_?STRING|(?:API|PRIVATE|ACCESS|SIGNING|ENCRYPTION|AUTH)_?KEY|(?:DATABASE|REDIS|MONGO\w*|POSTGRES\w*|AMQP)_UR[IL]|_(?:AUTH|DSN|KEY|PASS|PAT|PWD?)$/i;

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
