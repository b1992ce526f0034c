import { admissionOf, admit, withFacts } from "./admit.ts";
import type { AppliedPlugins, Preparer } from "./apply-plugins.ts";
import { failedVote, within } from "./hook-runner.ts";
import { freezeJson, isJsonObject, type JsonObject } from "./json.ts";
import type { Subject } from "./subject.ts";
import type { Vote } from "./verdict.ts";

/** The facts of one preparer, or the vote of one that failed. */
interface Found {
  readonly plugin: string;
  readonly facts?: JsonObject | undefined;
  readonly failure?: Vote;
}

/** Returns the subject with its facts, synchronously if every plugin answers synchronously. Throws if the subject cannot be admitted. */
export function prepare(
  input: Subject,
  { context, preparers, deadline_ms }: AppliedPlugins,
): Subject | Promise<Subject> {
  if (admissionOf(input, context) !== undefined) return input;
  const subject = admit(input, context);
  if (preparers.length === 0) return subject;
  const found = preparers.map((preparer) => ask(preparer, subject, deadline_ms));
  if (found.every(isKnown)) return stamp(subject, found, context);
  return Promise.all(found.map(async (one) => one)).then((all) => stamp(subject, all, context));
}

const isKnown = (one: Found | Promise<Found>): one is Found => !(one instanceof Promise);

function ask(preparer: Preparer, subject: Subject, deadline_ms: number): Found | Promise<Found> {
  const { context, tap, work } = preparer;
  const { plugin, from } = context;
  const keep = (given: unknown): Found => ({ plugin, facts: factsOf(given) });
  const fail = (error: unknown): Found => ({
    plugin,
    failure: failedVote({ plugin, tap, from }, error),
  });
  try {
    const given: unknown = work(subject);
    if (!(given instanceof Promise)) return keep(given);
    return within(deadline_ms, () => given)
      .then(keep)
      .catch(fail);
  } catch (error) {
    return fail(error);
  }
}

function factsOf(given: unknown): JsonObject | undefined {
  if (given === undefined) return undefined;
  const facts = freezeJson(given);
  if (isJsonObject(facts)) return facts;
  throw new Error("`prepare` must answer with an object or nothing");
}

function stamp(subject: Subject, found: readonly Found[], owner: object): Subject {
  const failures: Vote[] = [];
  const facts: Record<string, JsonObject> = {};
  let hasFacts = false;
  for (const { plugin, facts: own, failure } of found) {
    if (failure !== undefined) failures.push(failure);
    if (own === undefined) continue;
    hasFacts = true;
    const before = facts[plugin];
    facts[plugin] = before === undefined ? own : Object.freeze({ ...before, ...own });
  }
  if (failures.length > 0) return withFacts(subject, facts, { owner, failures });
  return hasFacts ? withFacts(subject, facts, { owner }) : subject;
}
