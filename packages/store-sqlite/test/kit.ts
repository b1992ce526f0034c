import { execFile } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { BylawError, type EventDraft, type LogEvent } from "@bylaw/kernel";
import type { Commit, Receipt, Store } from "@bylaw/store";
import { expect, onTestFinished } from "vitest";

/** Returns a store that is closed after the test, before its folder is removed. */
export async function closing(pending: Promise<Store>): Promise<Store> {
  const store = await pending;
  onTestFinished(() => store.close());
  return store;
}

export const draft = (fields: Partial<EventDraft> = {}): EventDraft => ({
  timestamp: "2026-01-02T03:04:05.000Z",
  session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
  event_type: "note",
  agent_id: "a1",
  task_id: null,
  details: { n: 1 },
  ...fields,
});

export const write = (store: Store, fields: Partial<Commit> = {}): Promise<Receipt> =>
  store.commit({ run: "r1", seen: 0, events: [draft()], ...fields });

export const logOf = (store: Store, run = "r1"): Promise<readonly LogEvent[]> =>
  store.events(run, 0, 1_000_000);
export const upTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

/** Asserts that a promise is rejected with this code and a message of one line. Returns the error. */
export async function refusal(pending: Promise<unknown>, code: string): Promise<BylawError> {
  const error: unknown = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BylawError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(/^[^\n]+$/) as string });
  return error as BylawError;
}

const execute = promisify(execFile);

/** Runs a script of `fixtures` in a child process, optionally through another program or with Node flags. Resolves to its output. */
export async function runFixture(
  script: string,
  args: readonly string[],
  under: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<string> {
  const file = fileURLToPath(new URL(`fixtures/${script}`, import.meta.url));
  const [program = "", ...rest] = [...under, process.execPath, ...flags, file, ...args];
  const { stdout } = await execute(program, rest, { maxBuffer: 2 ** 26 });
  return stdout;
}

/** A program that makes a process obey file permissions, because root may write anything. Empty for any other user. */
export const WITHOUT_PRIVILEGES: readonly string[] =
  process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : [];

/** Takes write access to a folder and its files from everyone. The folder can be removed after the test. */
export function makeReadOnly(folder: string): void {
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o444);
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
}
