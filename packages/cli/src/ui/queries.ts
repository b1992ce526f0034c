import type { RowFilter } from "@bylaw/dashboard";
import { omitUndefined } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";

type Query = Readonly<Record<string, string>>;

const MIN_LIMIT = 1;
const MAX_LIMIT = 1_000;

/** The sequence of an event. Throws BYLAW_USAGE_INVALID for anything else. */
export function sequenceIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`${quote(text)} is not the sequence of an event`);
}

const sequenceAt = (query: Query, name: string): number | undefined => {
  const text = query[name];
  return text === undefined ? undefined : sequenceIn(text);
};

/** Which run a request is about, and from which event on or up to which one. */
export function runQuery(query: Query): {
  readonly run: string;
  readonly after: number | undefined;
  readonly at: number | undefined;
} {
  const { run } = query;
  if (run === undefined || run === "") throw usageError("The query needs `run`");
  return { run, after: sequenceAt(query, "after"), at: sequenceAt(query, "at") };
}

/** Which decisions a request is about. */
export function rowQuery(query: Query): {
  readonly run: string;
  readonly filter: RowFilter;
  readonly limit: number;
  readonly below: number | undefined;
} {
  const { effect, rule, agent, tool, phase, code, task, type, decided, limit = "100" } = query;
  return {
    run: runQuery(query).run,
    filter: {
      ...omitUndefined({ effect, rule, agent, tool, phase, code, task, type }),
      decided: decided === "true",
    },
    limit: Math.max(MIN_LIMIT, Math.min(MAX_LIMIT, sequenceIn(limit))),
    below: sequenceAt(query, "below"),
  };
}
