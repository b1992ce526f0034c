import { deepStrictEqual as equal } from "node:assert/strict";
import { canonicalJson, type LogEvent } from "@bylaw/kernel";
import { addTasks, draft, logOf, sweepLeases, claimFree, upTo, write, type Group } from "./kit.ts";

const digest = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", bytes));

/**
 * Finds faults in the sequences and the chain of a log, or of its part after the event `last`. Computed from bytes, without any code that
 * stores use.
 */
export async function chainFaults(
  log: readonly LogEvent[],
  last?: LogEvent,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const hex = last?.hash?.slice("sha256:".length) ?? "";
  let link = Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2) || "0", 16),
  );
  for (const [
    index,
    { timestamp, sequence, session_id, event_type, agent_id, task_id, details, hash },
  ] of log.entries()) {
    const place = (last?.sequence ?? 0) + index + 1;
    if (sequence !== place) faults.push(`sequence ${sequence} in place ${place}`);
    const text = canonicalJson({ agent_id, details, event_type, session_id, task_id, timestamp });
    const bytes = new Uint8Array(72);
    bytes.set(link);
    new DataView(bytes.buffer).setBigUint64(32, BigInt(sequence));
    bytes.set(await digest(new TextEncoder().encode(text)), 40);
    link = await digest(bytes);
    const wanted = `sha256:${Array.from(link, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    if (hash !== wanted) faults.push(`hash ${hash} at ${sequence} should be ${wanted}`);
  }
  return faults;
}

export const chains: Group = {
  "covers every event of a run, including those of claims and sweeps": async ({ store, clock }) => {
    await addTasks(store, 1);
    await claimFree(store, "a1", { lease_ms: 1_000 });
    clock.advance(1_000);
    equal(await sweepLeases(store), 1);
    const details = {
      text: 'é\u2028"\\ 😀\u0000',
      numbers: [1e21, 5e-324, -0, 0.1],
      "10": 1,
      "9": 2,
      nested: { b: [], a: {} },
    };
    await write(store, {
      run: "r0",
      events: [draft({ details, agent_id: null, task_id: "" }), draft()],
    });
    const log = await logOf(store, "r0");
    equal(log.length, 5);
    equal(await chainFaults(log), []);
  },

  "is separate for each run, and unaffected by refused or concurrent writes": async ({ store }) => {
    const refuse = (): never => {
      throw new Error("refused");
    };
    await Promise.allSettled(
      upTo(40).map((n) =>
        write(store, { run: `r${n % 2}`, ...(n % 5 === 0 ? { admit: refuse } : {}) }),
      ),
    );
    for (const run of ["r0", "r1"]) {
      const log = await logOf(store, run);
      equal(log.length, 16);
      equal(await chainFaults(log), []);
    }
  },
};
