import {
  defineProjection,
  isJsonObject,
  type Guard,
  type Json,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type Response,
  type Subject,
  type Transition,
} from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { RUN_TYPES } from "../format/catalogue/run-types.ts";
import { digestOf } from "../format/digest.ts";
import { treeDrop, treeGet, treePut, type Tree } from "./tree.ts";
import { CALL_EVENTS, readRecordedCall } from "./recorded-call.ts";

type Grant = NonNullable<Parameters<Kernel["decide"]>[2]>;

/** The event types that a run writes itself. */
export const RUN_EVENTS: readonly string[] = RUN_TYPES.map(({ name }) => name);

/** The answers of people that still count. Approvals are found by the digest of what they approve and by the event that granted them. */
export interface OpenApprovals {
  readonly grants: Tree<Grant>;
  readonly digests: Tree<string>;
  /** The calls that a person said no to and that were not asked about again, by digest. */
  readonly refused: Tree<true>;
}

/** The open approvals and refusals of a run. */
export const openApprovals = defineProjection<OpenApprovals>({
  name: "bylaw/approvals",
  version: 3,
  scope: "task",
  initial: { grants: null, digests: null, refused: null },
  reduce(before, event) {
    const state = askedAgain(before, event);
    const { event_type, sequence, details } = event;
    const { digest, by, expires_at, decision } = details;
    const { grants, digests } = state;
    if (event_type === "approval_granted") {
      const key = String(digest);
      const earlier = treeGet(grants, key);
      return {
        ...state,
        grants: treePut(grants, key, { sequence, by: String(by), expires_at: String(expires_at) }),
        digests: treePut(
          earlier === undefined ? digests : treeDrop(digests, String(earlier.sequence)),
          String(sequence),
          key,
        ),
      };
    }
    if (event_type === "approval_refused") {
      const key = answeredKey(details);
      const earlier = treeGet(grants, key);
      return {
        grants: treeDrop(grants, key),
        digests: earlier === undefined ? digests : treeDrop(digests, String(earlier.sequence)),
        refused: treePut(state.refused, key, true),
      };
    }
    // Only the run writes events of these types, so no other event can spend an approval by naming it.
    if (
      !RUN_EVENTS.includes(event_type) ||
      !isJsonObject(decision) ||
      decision["approval"] === undefined
    )
      return state;
    const used = treeGet(digests, String(decision["approval"]));
    return used === undefined
      ? state
      : {
          ...state,
          grants: treeDrop(grants, used),
          digests: treeDrop(digests, String(decision["approval"])),
        };
  },
});

// A refusal closes one question. The digest is costly, so compute it only if there is a refusal that it might match.
function askedAgain(state: OpenApprovals, event: LogEvent): OpenApprovals {
  if (state.refused === null || !CALL_EVENTS.has(event.event_type)) return state;
  const digest = recordedDigest(event);
  return digest === undefined ? state : { ...state, refused: treeDrop(state.refused, digest) };
}

// A redacted call has no digest under which it could be asked about again.
const answeredKey = ({ digest, asked }: JsonObject): string =>
  digest === "" ? String(asked) : String(digest);

/** Refuses a second no to a question, and a yes after a no, until the call is asked about again. */
export const answeredOnce: Guard = (view, { event_type, timestamp, details }) => {
  if (event_type !== "approval_granted" && event_type !== "approval_refused") return undefined;
  const { grants, refused } = view(openApprovals);
  const key = answeredKey(details);
  if (treeGet(refused, key) !== undefined)
    return {
      rule: "answered-once",
      message: "a person already said no to this call, and it was not asked about again",
    };
  const grant = event_type === "approval_refused" ? treeGet(grants, key) : undefined;
  if (grant === undefined || Date.parse(grant.expires_at) <= Date.parse(timestamp))
    return undefined;
  return { rule: "answered-once", message: `${quote(grant.by)} already said yes to this call` };
};

/** The phase of each task. */
export type Phases = Tree<string>;

/** The phase of each task, according to the log. */
export const currentPhases = defineProjection<Phases>({
  name: "bylaw/phases",
  version: 2,
  scope: "task",
  initial: null,
  reduce: (state, { event_type, task_id, details }) =>
    event_type === "phase_entered" && task_id !== null
      ? treePut(state, task_id, String(details["to"]))
      : state,
});

/** The phase of one task. `undefined` if it has entered none. */
export const phaseOf = (phases: Phases, task: string): string | undefined => treeGet(phases, task);

/**
 * The digest that an approval is bound to. For a tool call it covers {tool, server, args, agent, task, cwd}; at the other hooks, what is
 * asked for; and always the digest of the policies that asked. The form is RFC 8785. Under another policy, a new approval is needed.
 */
export function approvalDigest(subject: Subject, policy: string): string {
  const { agent = null, task = null } = subject;
  if (subject.hook === "beforeToolCall") {
    const { tool, server = null, args, cwd = null } = subject;
    return digestOf({ subject: { tool, server, args, agent, task, cwd }, policy });
  }
  // The log counts attempts, and a repeated request has a new id. Neither makes it another question.
  const {
    round: _,
    attempt: __,
    max_attempts: ___,
    request_id: ____,
    ...unnumbered
  } = subject as Partial<Response> & Pick<Transition, "request_id"> & Subject;
  const { id, at, run, session, facts, host, claims, interactive, phase, ...asked } =
    unnumbered as Subject;
  return digestOf({ subject: { ...(asked as Record<string, Json>), agent, task }, policy });
}

/** The digest that an approval of the call in a recorded decision is bound to. `undefined` if the log does not have the whole call. */
export function recordedDigest(event: LogEvent): string | undefined {
  const { call } = readRecordedCall(event);
  return call === undefined ? undefined : approvalDigest(call, recordedPolicy(event));
}

/** The digest of the policies under which a recorded decision was made. */
export function recordedPolicy({ details: { decision } }: LogEvent): string {
  const { policy = {}, policy_digest } = isJsonObject(decision) ? decision : {};
  return typeof policy_digest === "string" ? policy_digest : digestOf(policy as JsonObject);
}
