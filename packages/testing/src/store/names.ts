import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { BylawError } from "@bylaw/kernel";
import type { Commit } from "@bylaw/store";
import { draft, failureOf, logOf, claimFree, write, type Group } from "./kit.ts";

/** Names that an attacker may choose to make two things one, or to inject a command. */
const HOSTILE: readonly string[] = [
  "",
  " ",
  "a",
  "A",
  "a ",
  "á",
  "a\u0301",
  "ａ",
  "а",
  "a\u200b",
  "__proto__",
  "constructor",
  "'; drop table events; --",
  '"',
  "\\",
  "\\u0000",
  "%",
  "_",
  "$1",
  "?",
  "null",
  "0",
  "00",
  "1e0",
  "a\nb",
  "😀",
  "\u{10FFFF}",
  "{}",
  "a:b",
  "a|b",
  "x".repeat(5_000),
  "x".repeat(4_999) + "y",
];

/** Names that some stores cannot keep apart. Those stores must refuse them. */
const REFUSABLE: readonly string[] = ["a\u0000", "a\u0000b", "\u0000", "é".repeat(50_000)];

export const names: Group = {
  "of runs are kept apart, whatever their characters": async ({ store }) => {
    const kept = await keep([...HOSTILE, ...REFUSABLE], (run, n) =>
      write(store, { run, events: [draft({ details: { n } })], request_id: run }),
    );
    for (const [run, n] of kept) {
      equal(
        (await logOf(store, run)).map(({ sequence, details }) => [sequence, details]),
        [[1, { n }]],
      );
      equal((await write(store, { run, request_id: run })).replayed, true);
    }
  },

  "of documents are kept apart, and kinds from ids": async ({ store }) => {
    const pairs: readonly (readonly [kind: string, id: string])[] = [
      ...HOSTILE.map((name) => [name, "d"] as const),
      ...HOSTILE.map((name) => ["k", name] as const),
      ["a", "b:c"],
      ["a:b", "c"],
      ["a|b", "c"],
      ["a", "b|c"],
    ];
    const documents = pairs.map(([kind, id], n) => ({ kind, id, value: String(n), if_version: 0 }));
    await write(store, { documents });
    for (const { kind, id, value } of documents)
      equal(await store.get(kind, id), { version: 1, value });
    const kept = await keep(REFUSABLE, (id) =>
      write(store, { documents: [{ kind: id, id, value: id, if_version: 0 }] }),
    );
    for (const [id] of kept) equal((await store.get(id, id))?.value, id);
  },

  "of tasks, queues, agents and their requests are kept apart": async ({ store }) => {
    const kept = await keep([...HOSTILE, ...REFUSABLE], (name, n) =>
      write(store, {
        run: `r${n}`,
        task: { id: name, fence: 0, set: { state: "available", queue: name, phase: name } },
      }),
    );
    for (const [name, n] of kept) {
      const claim = await claimFree(store, name, { queue: name, request_id: name });
      equal(
        [claim.task, claim.run, claim.phase, claim.event.agent_id],
        [name, `r${n}`, name, name],
      );
    }
  },

  "that are not well-formed Unicode are refused, so that two cannot become one": async ({
    store,
  }) => {
    const lone = "\ud800";
    const refused: readonly Partial<Commit>[] = [
      { run: lone },
      { request_id: lone },
      { events: [draft({ task_id: lone })] },
      { events: [draft({ details: { [lone]: 1 } })] },
      { documents: [{ kind: lone, id: "d", value: "v" }] },
      { documents: [{ kind: "k", id: lone, value: "v" }] },
      { documents: [{ kind: "k", id: "d", value: lone }] },
      { task: { id: lone, fence: 0, set: { state: "available" } } },
    ];
    for (const fields of refused) ok((await failureOf(write(store, fields))) instanceof BylawError);
    equal(await logOf(store), []);
  },
};

/** Writes under each name. Leaves out those that the store refuses with a BylawError. */
async function keep(
  all: readonly string[],
  put: (name: string, index: number) => Promise<unknown>,
): Promise<readonly (readonly [name: string, index: number])[]> {
  const kept: (readonly [string, number])[] = [];
  for (const [index, name] of all.entries()) {
    try {
      await put(name, index);
      kept.push([name, index]);
    } catch (error) {
      ok(
        error instanceof BylawError && REFUSABLE.includes(name),
        `${JSON.stringify(name.slice(0, 40))} was refused: ${String(error)}`,
      );
    }
  }
  return kept;
}
