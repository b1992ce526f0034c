import type { Contract } from "@bylaw/contract";
import { defineProjection, isJsonObject, type JsonObject, type LogEvent, type Projection } from "@bylaw/kernel";
import type { TestRun } from "@bylaw/evidence";
import { treeGet, treePut, type Tree } from "@bylaw/log";

/** A test run as it is on record. */
export interface RecordedRun {
  readonly sequence: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly details: TestRun;
}

/** What a task has shown so far, as far as later gates ask about it. */
export interface Work {
  readonly phase: string;
  /** The last test run since the phase was entered. */
  readonly run: RecordedRun | null;
  /** The run that its tests were red in, as the task left the phase that asks for that. */
  readonly red: RecordedRun | null;
  /** The artifacts that a gate let pass. A later one takes the place of an earlier one only where its phase requires it. */
  readonly approved: JsonObject;
}

export type WorkRecord = Projection<Tree<Work>>;

const NOTHING: Work = Object.freeze({ phase: "", run: null, red: null, approved: Object.freeze({}) });

/** What the record of a contract keeps. */
export interface Keeps {
  /** The phases that tests have to fail in before the task leaves them. */
  readonly redPhases: ReadonlySet<string>;
  /** The artifacts that later phases look at. */
  readonly artifacts: ReadonlySet<string>;
}

/** Makes the projection of one contract: what it keeps follows from it, so its name does too. */
export function workRecord(contract: Contract, keeps: Keeps): WorkRecord {
  const required = new Map(contract.phases.map(({ id, artifacts }) => [id, artifacts.map(({ type }) => type)]));
  return defineProjection<Tree<Work>>({
    name: `@bylaw/plugin-gates/work/${contract.digest.slice(7, 23)}`,
    version: 1,
    initial: null,
    reduce(works, event) {
      const { event_type, task_id, sequence, timestamp, details } = event;
      if (task_id === null) return works;
      if (event_type === "test_run") {
        const run = { sequence, at: timestamp, details: details as unknown as TestRun };
        return treePut(works, task_id, { ...(treeGet(works, task_id) ?? NOTHING), run });
      }
      return event_type === "phase_entered" ? treePut(works, task_id, moved(treeGet(works, task_id) ?? NOTHING, event)) : works;
    },
  });

  function moved({ run, red, approved }: Work, { details }: LogEvent): Work {
    const { from, to, artifacts, decision } = details;
    const phase = String(to);
    if (!contract.phases.some(({ id }) => id === phase)) return { ...NOTHING, phase };
    // What goes back after a no, or past a gate that only warns, was looked at by nobody.
    const ways = contract.transitions.filter((way) => way.from === from && way.to === to);
    const passed = ways.length > 0 && ways.every(({ when }) => when === "passed") && isJsonObject(decision ?? null);
    if (!passed || (decision as JsonObject)["effect"] !== "allow") return { phase, run: null, red, approved };
    const handed = isJsonObject(artifacts ?? null) ? (artifacts as JsonObject) : {};
    const kept = (required.get(String(from)) ?? []).filter((type) => keeps.artifacts.has(type) && Object.hasOwn(handed, type));
    return {
      phase,
      run: null,
      red: keeps.redPhases.has(String(from)) ? run : red,
      approved: kept.length === 0 ? approved : { ...approved, ...Object.fromEntries(kept.map((type) => [type, handed[type] ?? null])) },
    };
  }
}

/** The work of one task. */
export const workOf = (works: Tree<Work>, task: string): Work => treeGet(works, task) ?? NOTHING;
