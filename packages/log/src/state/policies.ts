import {
  defineProjection,
  isJsonObject,
  type JsonObject,
  type Subject,
  type View,
} from "@bylaw/kernel";
import { RUN_EVENTS } from "./approval.ts";

/** The hook of a subject. */
export type HookName = Subject["hook"];

/** The policies that decisions of a log were made under, by their digest, the oldest first. */
export type Policies = Readonly<Record<string, JsonObject>>;

/** So many are remembered; of one that is not, the next decision under it says once more what it is. */
const KEPT = 32;

/** The policies that the log has in full. Only the run writes the events that say them. */
export const policiesOnRecord = defineProjection<Policies>({
  name: "bylaw/policies",
  version: 1,
  scope: "task",
  initial: {},
  reduce(state, { event_type, details: { decision } }) {
    if (!isJsonObject(decision) || !isJsonObject(decision["policy"])) return state;
    const { policy, policy_digest: digest } = decision;
    if (
      typeof digest !== "string" ||
      Object.hasOwn(state, digest) ||
      !RUN_EVENTS.includes(event_type)
    )
      return state;
    return Object.fromEntries([...Object.entries(state).slice(1 - KEPT), [digest, policy]]);
  },
});

/** How an event names the policies of its decision. */
export interface PolicyName {
  readonly digest: string;
  /** An event before says in full what they are. */
  readonly known: boolean;
}

/** Transitions say it in full each time: they are few, and what approves one later holds it against the very policy that asked. */
export const policyName = (hook: HookName, digest: string, view: View): PolicyName => ({
  digest,
  known: hook !== "onTransition" && Object.hasOwn(view(policiesOnRecord), digest),
});
