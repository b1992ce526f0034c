import { defineProjection, type LogEvent } from "@bylaw/kernel";
import {
  CALL_EVENTS,
  asksPerson,
  callHash,
  recordedDigest,
  treeDrop,
  treeEntries,
  treePut,
  type Tree,
} from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };

/** A question about a call that nobody has answered. */
interface OpenQuestion {
  readonly sequence: number;
  readonly digest: string;
}

/** The most questions that are counted, so that no agent fills the state of the run. */
const MOST = 1_000;

/** The open questions of a run, by the call that they are about. */
export const openQuestions = defineProjection<Tree<OpenQuestion>>({
  name: `${manifest.name}/open-questions`,
  version: 2,
  scope: "task",
  initial: null,
  reduce(open, event) {
    const { event_type, details } = event;
    if (event_type === "approval_granted")
      return without(open, ({ digest }) => digest === details["digest"]);
    if (event_type === "approval_refused")
      return without(open, ({ sequence }) => sequence === details["asked"]);
    return CALL_EVENTS.has(event_type) ? decided(open, event) : open;
  },
});

function decided(open: Tree<OpenQuestion>, event: LogEvent): Tree<OpenQuestion> {
  const asks = asksPerson(event);
  if (!asks && open === null) return open;
  const key = callHash(event);
  const others = treeDrop(open, key);
  if (!asks || (others?.size ?? 0) >= MOST) return others;
  return treePut(others, key, { sequence: event.sequence, digest: recordedDigest(event) ?? "" });
}

const without = (
  open: Tree<OpenQuestion>,
  answered: (question: OpenQuestion) => boolean,
): Tree<OpenQuestion> =>
  [...treeEntries(open)].reduce(
    (rest, [key, question]) => (answered(question) ? treeDrop(rest, key) : rest),
    open,
  );
