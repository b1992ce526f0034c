import type { Check, Contract, Phase } from "@bylaw/contract";
import type { Json, JsonObject } from "@bylaw/kernel";
import { isBlank } from "@bylaw/wording";
import type { Reviewer } from "../gate-state.ts";
import type { FileFacts } from "../file-facts.ts";
import type { CommitBase, RecordedRun } from "../recorded-work.ts";

export interface CheckInput {
  readonly contract: Contract;
  readonly phase: Phase;
  /** The entry of the contract that names the check. */
  readonly check: Check;
  /** The artifacts in the request. */
  readonly artifacts: JsonObject;
  /** The artifacts that passed earlier gates. */
  readonly approved: JsonObject;
  /** The facts about workspace files that the artifacts name; undefined if nothing was read. */
  readonly facts: FileFacts | undefined;
  /** The last test run since the phase was entered. */
  readonly run: RecordedRun | null;
  /** The run in which the tests failed. */
  readonly red: RecordedRun | null;
  /** The digest of the tree that an earlier gate tested, if no phase since then can write. */
  readonly tested: string | null;
  /** The digest of the tree that the commit must match: `tested`, or that of this edge's run. */
  readonly judged: string | null;
  /** The commit on which the task began. */
  readonly base: CommitBase;
  /** Whether every path to this phase goes through one in which the tests failed. */
  readonly onlyAfterRed: boolean;
  /** The agents that were started for the phase. */
  readonly reviewers: readonly Reviewer[];
  /** Whether somebody worked on the task. */
  readonly worked: (name: string) => boolean;
}

/**
 * Why a check does not pass. `no`: the evidence contradicts it. `lacking`: there is no usable
 * evidence. `stale`: the evidence is out of date. `broken`: the check itself failed. `note`: it
 * passes with a remark.
 */
export interface Finding {
  readonly kind: "no" | "lacking" | "stale" | "broken" | "note";
  readonly detail: string;
  readonly fix?: string;
  /** The name to waive it by, if it is not that of the check. */
  readonly as?: string;
}

/** Judges one check. No findings means a pass. Pure. */
export type CheckJudge = (input: CheckInput) => readonly Finding[];

export const no = (detail: string, fix?: string): Finding => ({
  kind: "no",
  detail,
  ...(fix === undefined ? {} : { fix }),
});
export const lacking = (detail: string, fix?: string): Finding => ({
  kind: "lacking",
  detail,
  ...(fix === undefined ? {} : { fix }),
});

/** An object's own field, or undefined. */
export const field = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;

/** The artifact as an object, or the finding that it is missing or no object. */
export function artifactOf(artifacts: JsonObject, type: string): JsonObject | Finding[] {
  const artifact = Object.hasOwn(artifacts, type) ? artifacts[type] : undefined;
  if (artifact === undefined || artifact === null)
    return [lacking(`The \`${type}\` artifact is missing`, `Hand in \`${type}\``)];
  if (typeof artifact !== "object" || Array.isArray(artifact))
    return [
      lacking(
        `The \`${type}\` artifact is not an object`,
        `Hand in \`${type}\` as its schema describes it`,
      ),
    ];
  return artifact as JsonObject;
}

export const itemsOf = (value: Json | undefined, name: string): readonly Json[] => {
  const items = field(value, name);
  return Array.isArray(items) ? (items as readonly Json[]) : [];
};

export const hasContent = (value: Json | undefined): boolean =>
  typeof value === "string"
    ? !isBlank(value)
    : Array.isArray(value)
      ? value.length > 0
      : typeof value === "object" && value !== null && Object.keys(value).length > 0;

export const isFindings = (value: JsonObject | Finding[]): value is Finding[] =>
  Array.isArray(value);
