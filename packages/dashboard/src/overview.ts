import type { LogEvent } from "@bylaw/kernel";
import { consensusAfter, type ConsensusSeen } from "./consensus.ts";
import {
  constitutionAfter,
  constitutionSeen,
  NO_CONSTITUTION,
  type ConstitutionSeen,
} from "./constitution.ts";
import { gatesAfter, type GateSeen } from "./gates.ts";
import { PhaseIndex } from "./phases.ts";
import { Rates, type Latency, type Minute } from "./rates.ts";
import { appliedEffect, nameAt, objectAt, rowOf, textAt, type Row } from "./rows.ts";
import { NO_WORKFLOW, workflowAfter, type WorkflowSeen } from "./workflow.ts";

/** What an agent did in a run. */
export interface AgentSeen {
  readonly agent: string;
  readonly allowed: number;
  readonly asked: number;
  readonly denied: number;
  /** The time of its last event. */
  readonly last: string;
}

/** A reason that kept a task out of its next phase. */
export interface Blocker {
  /** The gate, check or rule that blocks. */
  readonly rule: string | null;
  readonly effect: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly fix: string | null;
}

/** Where a task is. */
export interface TaskSeen {
  readonly task: string;
  readonly phase: string | null;
  readonly agent: string | null;
  /** The phase that was last asked for and not entered, and why. */
  readonly wanted: string | null;
  readonly blockers: readonly Blocker[];
  /** What is on record about its gates: test runs, answers of people, waivers. The newest last. */
  readonly evidence: readonly Row[];
  /** The phases that it has entered, the latest last. */
  readonly phases: readonly EnteredPhase[];
  /** Its gates since it entered its phase. */
  readonly gates: readonly GateSeen[];
}

/** A phase that a task has entered. */
export interface EnteredPhase {
  readonly phase: string | null;
  readonly sequence: number;
  readonly time: string;
}

/** The state of a run after an event. */
export interface RunOverview {
  /** The sequence of the last event that was read. */
  readonly head: number;
  readonly time: string | null;
  readonly agents: readonly AgentSeen[];
  readonly tasks: readonly TaskSeen[];
  readonly minutes: readonly Minute[];
  readonly latencies: readonly Latency[];
  /** The one that was opened last at the end. */
  readonly consensus: readonly ConsensusSeen[];
  readonly workflow: WorkflowSeen;
  readonly constitution: ConstitutionSeen;
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

/** The most names that are kept; a log may have any number. */
const AGENTS = 500;
const TASKS = 2_000;
const EVIDENCE = 20;
const BLOCKERS = 50;
const PHASES = 20;
/** Events that a gate is judged by. */
const ABOUT_GATES =
  /^(?:gate_|check_waived$|test_run$|artifact|approval_|tests_|commit_|evidence|task_(?:claimed|released|finished|failed|created)$)/;

interface Parts {
  readonly consensus: readonly ConsensusSeen[];
  readonly workflow: WorkflowSeen;
  readonly constitution: typeof NO_CONSTITUTION;
}

/** Folds a run into what the page shows of it. The same events always give the same state. */
export class Overview {
  readonly #phases = new PhaseIndex();
  #rates = new Rates();
  readonly #agents = new Map<string, Changing<AgentSeen>>();
  readonly #tasks = new Map<string, Changing<TaskSeen>>();
  /** Each part is a value that an event replaces, so that a copy costs nothing. */
  #parts: Parts = { consensus: [], workflow: NO_WORKFLOW, constitution: NO_CONSTITUTION };
  #head = 0;
  #time: string | null = null;

  /** The sequence of the last event that was added. */
  get head(): number {
    return this.#head;
  }

  /** The phase of a task at an event; `null` if it has none, or that event was not added yet. */
  readonly phaseAt = (task: string | null, sequence: number): string | null =>
    this.#phases.at(task, sequence);

  add(events: readonly LogEvent[]): void {
    for (const event of events) this.#take(event);
  }

  /** Another overview that goes on from here. It knows no phases of tasks at events before. */
  copy(): Overview {
    const copy = new Overview();
    [copy.#head, copy.#time, copy.#rates] = [this.#head, this.#time, this.#rates.copy()];
    copy.#parts = this.#parts;
    for (const [agent, seen] of this.#agents) copy.#agents.set(agent, { ...seen });
    for (const [task, seen] of this.#tasks) copy.#tasks.set(task, { ...seen });
    return copy;
  }

  value(): RunOverview {
    return {
      head: this.#head,
      time: this.#time,
      agents: [...this.#agents.values()],
      tasks: [...this.#tasks.values()],
      minutes: this.#rates.minutes,
      latencies: this.#rates.latencies,
      ...this.#parts,
      constitution: constitutionSeen(this.#parts.constitution, this.#time),
    };
  }

  #take(event: LogEvent): void {
    this.#head = event.sequence;
    this.#time = event.timestamp;
    this.#phases.add(event);
    this.#rates.add(event);
    const { consensus, workflow, constitution } = this.#parts;
    this.#parts = {
      consensus: consensusAfter(consensus, event),
      workflow: workflowAfter(workflow, event),
      constitution: constitutionAfter(constitution, event),
    };
    if (event.agent_id !== null) this.#agent(event, event.agent_id.slice(0, 200));
    if (event.task_id !== null) this.#task(event, event.task_id.slice(0, 200));
  }

  #agent({ timestamp, details }: LogEvent, agent: string): void {
    const seen = this.#agents.get(agent) ?? { agent, allowed: 0, asked: 0, denied: 0, last: "" };
    const effect = appliedEffect(details);
    if (effect === "allow") seen.allowed += 1;
    if (effect === "ask_user") seen.asked += 1;
    if (effect === "deny") seen.denied += 1;
    seen.last = timestamp;
    // Put last, so that the agent that was quiet for longest is dropped first.
    this.#agents.delete(agent);
    this.#agents.set(agent, seen);
    if (this.#agents.size > AGENTS) this.#agents.delete(this.#agents.keys().next().value ?? "");
  }

  #task(event: LogEvent, task: string): void {
    const { event_type, agent_id, details } = event;
    const seen = this.#tasks.get(task) ?? {
      ...{ task, phase: null, agent: null, wanted: null },
      ...{ blockers: [], evidence: [], phases: [], gates: [] },
    };
    if (agent_id !== null) seen.agent = agent_id.slice(0, 200);
    seen.gates = gatesAfter(seen.gates, event);
    if (event_type === "phase_entered") {
      const { sequence, timestamp: time } = event;
      seen.phase = nameAt(details, "to");
      seen.phases = [...seen.phases.slice(1 - PHASES), { phase: seen.phase, sequence, time }];
      [seen.wanted, seen.blockers] = [null, []];
    } else if (event_type === "transition_blocked") {
      seen.wanted = nameAt(details, "to");
      seen.blockers = blockersOf(event);
    } else if (ABOUT_GATES.test(event_type))
      seen.evidence = [...seen.evidence.slice(1 - EVIDENCE), rowOf(event, seen.phase)];
    this.#tasks.delete(task);
    this.#tasks.set(task, seen);
    if (this.#tasks.size > TASKS) this.#tasks.delete(this.#tasks.keys().next().value ?? "");
  }
}

function blockersOf({ details }: LogEvent): readonly Blocker[] {
  const { votes } = objectAt(details, "decision");
  if (!Array.isArray(votes)) return [];
  return (votes as readonly Readonly<Record<string, unknown>>[])
    .filter(({ effect }) => effect !== "allow")
    .slice(0, BLOCKERS)
    .map((vote) => ({
      rule: nameAt(objectAt(vote, "rule"), "name"),
      effect: nameAt(vote, "effect"),
      code: nameAt(vote, "code"),
      reason: textAt(vote, "reason"),
      fix: textAt(vote, "fix"),
    }));
}
