import type { Contract } from "@bylaw/contract";
import {
  defineProjection,
  isJsonObject,
  type Json,
  type JsonObject,
  type LogEvent,
  type Projection,
} from "@bylaw/kernel";
import { treeGet, treePut, type Tree } from "@bylaw/log";
import { UNSEEN_BASE, type CommitBase, type RecordedRun } from "./recorded-work.ts";
import { TREE_UNCHANGED, leavesFiles } from "./tested-tree.ts";

/** The facts about a task that later gates ask about. */
export interface Work {
  readonly phase: string;
  /** The last test run since the phase was entered. */
  readonly run: RecordedRun | null;
  /** The run in which its tests failed, when the task left the phase that requires that. */
  readonly red: RecordedRun | null;
  /**
   * The digest of the tree that the last gate tested, until the task enters a phase that can write.
   */
  readonly tested: string | null;
  /** The commit on which it began, from the first transition. */
  readonly base: CommitBase;
  /**
   * The artifacts that passed a gate. A later one replaces an earlier one only if its phase
   * requires that artifact.
   */
  readonly approved: JsonObject;
}

export type WorkRecord = Projection<Tree<Work>>;

const NOTHING: Work = Object.freeze({
  phase: "",
  run: null,
  red: null,
  tested: null,
  base: UNSEEN_BASE,
  approved: Object.freeze({}),
});

export interface WorkRecordOptions {
  /** The phases that a task can leave only with failed tests. */
  readonly redPhases: ReadonlySet<string>;
  /** The names of the test rules that every transition out of the phase must meet. */
  readonly testedBy: ReadonlyMap<string, readonly string[]>;
  /** The artifacts that later phases read. */
  readonly artifacts: ReadonlySet<string>;
}

/** Makes the projection of one contract. Its content depends on the contract, so its name does too. */
export function workRecord(contract: Contract, options: WorkRecordOptions): WorkRecord {
  const leaving = new Set(contract.phases.filter(leavesFiles).map(({ id }) => id));
  return defineProjection<Tree<Work>>({
    name: `@bylaw/plugin-gates/work/${contract.digest.slice(7, 23)}`,
    version: 4,
    scope: "task",
    initial: null,
    reduce(works, event) {
      const { event_type, task_id, sequence, timestamp, details } = event;
      if (task_id === null) return works;
      const work = treeGet(works, task_id) ?? NOTHING;
      if (event_type === "test_run") {
        const run = {
          sequence,
          at: timestamp,
          details: details as unknown as RecordedRun["details"],
        };
        return treePut(works, task_id, { ...work, run });
      }
      return event_type === "phase_entered"
        ? treePut(works, task_id, moved(work, event, { ...options, contract, leaving }))
        : works;
    },
  });
}

interface MoveOptions extends WorkRecordOptions {
  readonly contract: Contract;
  /** The phases that cannot write files. */
  readonly leaving: ReadonlySet<string>;
}

function moved(
  { run, red, tested, base: begun, approved }: Work,
  { details }: LogEvent,
  options: MoveOptions,
): Work {
  const { from, to, decision } = details;
  const { contract, leaving, redPhases } = options;
  const base = from === undefined ? baseIn(details) : begun;
  const phase = String(to);
  if (!contract.phases.some(({ id }) => id === phase)) return { ...NOTHING, phase };
  // A transition back after a rejection, or past a gate that only warns, was not checked.
  const edges = contract.transitions.filter((edge) => edge.from === from && edge.to === to);
  const passed =
    edges.length > 0 &&
    edges.every(({ when }) => when === "passed") &&
    isJsonObject(decision ?? null);
  const still = leaving.has(phase);
  if (!passed || (decision as JsonObject)["effect"] !== "allow")
    return { phase, run: null, red, tested: still ? tested : null, base, approved };
  return {
    phase,
    run: null,
    red: redPhases.has(String(from)) ? run : red,
    base,
    tested: still ? treeOf(String(from), decision as JsonObject, { run, tested }, options) : null,
    approved: { ...approved, ...keptOf(details, options) },
  };
}

/** The artifacts that a phase requires and that later gates ask about. */
function keptOf(
  { from, artifacts = null }: JsonObject,
  { contract, artifacts: asked }: MoveOptions,
): JsonObject {
  if (!isJsonObject(artifacts)) return {};
  const required = contract.phases.find(({ id }) => id === String(from))?.artifacts ?? [];
  const kept = required.filter(({ type }) => asked.has(type) && Object.hasOwn(artifacts, type));
  return Object.fromEntries(kept.map(({ type }) => [type, artifacts[type] ?? null]));
}

function treeOf(
  from: string,
  { votes }: JsonObject,
  { run, tested }: Pick<Work, "run" | "tested">,
  { testedBy }: WorkRecordOptions,
): string | null {
  const waived = waivedIn(votes ?? null);
  const judged = testedBy.get(from)?.some((rule) => !waived.has(rule)) === true;
  if (judged && run !== null) return run.details.tree_after;
  // A waiver accepts a changed tree, so the tree tested earlier no longer counts.
  return [...waived].some((rule) => rule.endsWith(`.${TREE_UNCHANGED}`)) ? null : tested;
}

function baseIn({ commit = null }: JsonObject): CommitBase {
  if (!isJsonObject(commit)) return UNSEEN_BASE;
  const { head, apart } = commit;
  return {
    head: typeof head === "string" ? head : null,
    apart: typeof apart === "string" ? apart : null,
  };
}

const waivedIn = (votes: Json): ReadonlySet<string> =>
  new Set(
    (Array.isArray(votes) ? (votes as readonly Json[]) : []).flatMap((vote) => {
      const { code, rule = null } = isJsonObject(vote) ? vote : {};
      return code === "gate_waived" && isJsonObject(rule) ? [String(rule["name"])] : [];
    }),
  );

export const taskWork = (works: Tree<Work>, task: string): Work => treeGet(works, task) ?? NOTHING;
