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

/** The policies of the decisions in a log, by digest, the oldest first. */
export type Policies = Readonly<Record<string, JsonObject>>;

/** The most policies that are kept. The next decision under a dropped one records it in full again. */
const KEPT = 32;

/** The policies that the log has in full. Only events of the run count. */
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

/** How an event refers to the policies of its decision. */
export interface PolicyName {
  readonly digest: string;
  /** Whether an earlier event has the policies in full. */
  readonly known: boolean;
}

/** Transitions always record the policies in full. There are few, and a later approval is checked against the policies that asked. */
export const policyName = (hook: HookName, digest: string, view: View): PolicyName => ({
  digest,
  known: hook !== "onTransition" && Object.hasOwn(view(policiesOnRecord), digest),
});
