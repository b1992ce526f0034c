import { defineProjection, type LogEvent } from "@bylaw/kernel";
import {
  CALL_EVENTS,
  asksPerson,
  callHash,
  isTaken,
  offeredCall,
  questionExpiry,
  recordedDigest,
  treeDrop,
  treeEntries,
  treeGet,
  treePut,
  type Tree,
} from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };

/** A question about a call that nobody has answered. */
interface OpenQuestion {
  readonly sequence: number;
  readonly digest: string;
  /** The id of the call. */
  readonly id?: string;
  /** Milliseconds since 1970. Left out if the question does not expire. */
  readonly expires?: number;
}

/** A call that a question offers instead of its own. */
interface Offer {
  /** The hash of the call that was asked about. */
  readonly key: string;
  /** The hash of the offered call. */
  readonly offered: string;
}

interface Questions {
  /** By the hash of the call. */
  readonly open: Tree<OpenQuestion>;
  /** By the id of the call. Only those of open questions. */
  readonly offers: Tree<Offer>;
}

/** The most questions that are counted, so that no agent fills the state of the run. */
const MAX_QUESTIONS = 1_000;

/** The open questions of a run, by the call that they are about. */
export const openQuestions = defineProjection<Questions>({
  name: `${manifest.name}/open-questions`,
  version: 4,
  scope: "task",
  initial: { open: null, offers: null },
  reduce(questions, event) {
    const { event_type, details } = event;
    if (event_type === "approval_granted")
      return without(questions, ({ digest }) => digest === details["digest"]);
    if (event_type === "approval_refused")
      return without(questions, ({ sequence }) => sequence === details["asked"]);
    // Its host has asked the person itself.
    if (event_type === "tool_result")
      return without(questions, ({ id }) => id !== undefined && id === details["id"]);
    return CALL_EVENTS.has(event_type) ? decided(questions, event) : questions;
  },
});

/** The number of questions that have not expired. `now`: milliseconds since 1970. */
export function countOpen({ open }: Questions, now: number): number {
  let count = 0;
  for (const [, { expires = Infinity }] of treeEntries(open)) if (expires > now) count += 1;
  return count;
}

function decided(questions: Questions, event: LogEvent): Questions {
  const asks = asksPerson(event);
  if (!asks && questions.open === null) return questions;
  const key = callHash(event);
  const { id } = event.details;
  const offer = typeof id === "string" ? treeGet(questions.offers, id) : undefined;
  // A host asks about an offered call at once, so another call with the id ends the offer.
  const others = drop(offer === undefined ? questions : withoutOffer(questions, String(id)), key);
  // The offered call runs instead, so the question about the first call needs no answer.
  const left = offer?.offered === key && isTaken(event) ? drop(others, offer.key) : others;
  if (!asks || (left.open?.size ?? 0) >= MAX_QUESTIONS) return left;
  const expires = questionExpiry(event);
  const question = {
    sequence: event.sequence,
    digest: recordedDigest(event) ?? "",
    ...(typeof id === "string" && { id }),
    ...(expires !== undefined && { expires }),
  };
  const open = treePut(left.open, key, question);
  const offered = offeredCall(event);
  return typeof id !== "string" || offered === undefined
    ? { ...left, open }
    : { open, offers: treePut(left.offers, id, { key, offered }) };
}

const withoutOffer = ({ open, offers }: Questions, id: string): Questions => ({
  open,
  offers: treeDrop(offers, id),
});

function drop(questions: Questions, key: string): Questions {
  const { open, offers } = questions;
  const question = treeGet(open, key);
  if (question === undefined) return questions;
  const { id } = question;
  // A later question with the same id has its own offer.
  const isOwn = id !== undefined && treeGet(offers, id)?.key === key;
  return { open: treeDrop(open, key), offers: isOwn ? treeDrop(offers, id) : offers };
}

const without = (questions: Questions, answered: (question: OpenQuestion) => boolean): Questions =>
  [...treeEntries(questions.open)].reduce(
    (rest, [key, question]) => (answered(question) ? drop(rest, key) : rest),
    questions,
  );
