import type { LogEvent } from "@bylaw/kernel";
import { nameAt, textAt } from "./rows.ts";

/** A person's or agent's yes or no at a gate. */
export interface GateAnswer {
  readonly by: string | null;
  readonly role: string | null;
  readonly verdict: string | null;
  readonly reason: string | null;
  readonly time: string;
}

/** A check that need not pass for a while. */
export interface WaiverSeen {
  readonly check: string | null;
  readonly by: string | null;
  readonly reason: string | null;
  readonly until: string | null;
}

/** A gate of a task since the task entered its phase. */
export interface GateSeen {
  readonly gate: string;
  readonly answers: readonly GateAnswer[];
  readonly waivers: readonly WaiverSeen[];
  /** Whether a person was called because time ran out, and whether it was closed because of that. */
  readonly escalated: boolean;
  readonly timed_out: boolean;
}

/** The most gates of a task, and answers and waivers of a gate. */
const GATES = 50;
const ANSWERS = 20;

/** The gates of a task after an event. Entering a phase begins anew. */
export function gatesAfter(
  gates: readonly GateSeen[],
  { event_type, timestamp: time, details }: LogEvent,
): readonly GateSeen[] {
  if (event_type === "phase_entered") return [];
  const change = Object.hasOwn(CHANGES, event_type) ? CHANGES[event_type] : undefined;
  const gate = nameAt(details, "gate");
  if (change === undefined || gate === null) return gates;
  const known = gates.find((one) => one.gate === gate) ?? {
    ...{ gate, answers: [], waivers: [], escalated: false, timed_out: false },
  };
  const others = gates.filter((one) => one.gate !== gate).slice(1 - GATES);
  return [...others, { ...known, ...change(known, details, time) }];
}

type Change = (gate: GateSeen, details: LogEvent["details"], time: string) => Partial<GateSeen>;

const CHANGES: Readonly<Record<string, Change>> = {
  gate_decided: ({ answers }, details, time) => {
    const [by, role, verdict] = [
      nameAt(details, "by"),
      nameAt(details, "role"),
      nameAt(details, "verdict"),
    ];
    const answer = { by, role, verdict, reason: textAt(details, "reason"), time };
    return { answers: [...answers.slice(1 - ANSWERS), answer] };
  },
  check_waived: ({ waivers }, details) => {
    const [check, by, until] = [
      nameAt(details, "check"),
      nameAt(details, "by"),
      nameAt(details, "expires_at"),
    ];
    const waiver = { check, by, reason: textAt(details, "reason"), until };
    const others = waivers.filter((one) => one.check !== check).slice(1 - ANSWERS);
    return { waivers: [...others, waiver] };
  },
  gate_escalated: () => ({ escalated: true }),
  gate_closed: () => ({ timed_out: true }),
};
