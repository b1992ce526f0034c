import { COMPLETED } from "@bylaw/contract";
import { defineProjection, isJsonObject, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { foldName, treeGet, treePut } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import { EMPTY_BOOK, type Book, type Books, type Opening, type Report, type Reviewer, type Worker } from "./book.ts";

/** Whose no is about the work that is handed in, and not about who asks, or for what. */
const OURS: ReadonlySet<string> = new Set([manifest.name, "@bylaw/plugin-artifacts"]);
type Fold = (book: Book, event: LogEvent) => Book;

/** What the log says about gates, task by task. An event changes the book of its task and shares all the others. */
export const gateBook = defineProjection<Books>({
  name: "@bylaw/plugin-gates/book",
  version: 2,
  initial: null,
  reduce(books, event) {
    const fold = Object.hasOwn(FOLDS, event.event_type) ? FOLDS[event.event_type] : undefined;
    if (fold === undefined || event.task_id === null) return books;
    const before = treeGet(books, event.task_id) ?? EMPTY_BOOK;
    const after = fold(before, event);
    return after === before ? books : treePut(books, event.task_id, after);
  },
});

/** The book of one task. */
export const bookOf = (books: Books, task: string): Book => treeGet(books, task) ?? EMPTY_BOOK;

const FOLDS: Readonly<Record<string, Fold>> = {
  tool_allowed: (book, { agent_id }) => (book.phase === COMPLETED ? book : withWorker(book, agent_id, { phase: book.phase })),
  phase_entered: (book, { agent_id, sequence, details }) => {
    const phase = textOf(details, "to");
    if (phase === COMPLETED) return { ...EMPTY_BOOK, phase, entered: sequence, changed: sequence };
    const { workers } = withWorker(book, agent_id, {});
    return { ...EMPTY_BOOK, phase, entered: sequence, changed: sequence, workers };
  },
  transition_blocked: blocked,
  test_run: (book, { sequence }) => ({ ...book, changed: sequence }),
  gate_decided: (book, { sequence, timestamp, details }) => {
    const verdict = details["verdict"] === "approved" ? "approved" : "rejected";
    const reason = details["reason"];
    const vote = { by: textOf(details, "by"), role: textOf(details, "role"), verdict, at: timestamp } as const;
    const gate = textOf(details, "gate");
    const voted = withOpening(book, gate, (opening) => ({
      ...opening,
      votes: [...opening.votes, { ...vote, reason: typeof reason === "string" ? reason : null }],
      state: verdict === "approved" ? opening.state : "rejected",
    }));
    const rejected = verdict === "rejected" && !book.rejected.includes(gate) ? [...book.rejected, gate] : book.rejected;
    return { ...voted, rejected, changed: sequence };
  },
  check_waived: (book, { sequence, details }) => {
    const [gate, check, by] = [textOf(details, "gate"), textOf(details, "check"), textOf(details, "by")];
    const waiver = { gate, check, by, reason: textOf(details, "reason"), expires_at: textOf(details, "expires_at") };
    const others = book.waivers.filter((one) => one.gate !== gate || one.check !== check);
    return { ...book, waivers: [...others, waiver], changed: sequence };
  },
  gate_escalated: (book, { details }) => withOpening(book, textOf(details, "gate"), (opening) => ({ ...opening, escalated: true })),
  gate_closed: (book, { details }) => withOpening(book, textOf(details, "gate"), (opening) => ({ ...opening, state: "timed_out" })),
  directive_issued: (book, { details }) => {
    const directive = textOf(details, "directive");
    if (details["action"] !== "spawn" || book.reviewers.some((one) => one.directive === directive)) return book;
    const { model, agent_type, wait } = details;
    const started = { model: typeof model === "string" ? model : null, agent_type: typeof agent_type === "string" ? agent_type : null };
    return { ...book, reviewers: [...book.reviewers, { directive, ...started, wait: wait === true, report: null }] };
  },
  directive_completed: (book, { sequence, agent_id, details }) => {
    const directive = textOf(details, "directive");
    const { agent, ok, verdict, blocking_issues: issues } = details;
    const report: Report = {
      ok: ok === true,
      agent: typeof agent === "string" ? agent : agent_id,
      verdict: verdict === "approved" || verdict === "rejected" ? verdict : null,
      blocking_issues: Array.isArray(issues) ? (issues as readonly Json[]) : [],
    };
    const reviewers = book.reviewers.map((one): Reviewer => (one.directive === directive ? { ...one, report } : one));
    return { ...book, reviewers, changed: sequence };
  },
};

function blocked(book: Book, { agent_id, sequence, timestamp, details }: LogEvent): Book {
  const told = votesOf(details).filter(({ effect, shadow }) => effect !== "allow" && shadow !== true);
  const votes = told.filter(({ severity }) => severity !== "warning");
  // A request that somebody else refused (a forged token, a way that is not there) is nobody's work and asks nobody.
  if (book.phase === null || votes.some(({ plugin }) => !OURS.has(plugin))) return book;
  const said = votes.filter(({ plugin }) => plugin === manifest.name);
  const [to, artifacts] = [textOf(details, "to"), isJsonObject(details["artifacts"] ?? null) ? (details["artifacts"] as JsonObject) : {}];
  const asked = {
    to,
    agent: agent_id,
    artifacts,
    sequence,
    votes: told.filter(({ plugin }) => OURS.has(plugin)).map(({ code, rule }) => ({ code, rule })),
  };
  const worked = { ...withWorker(book, agent_id, {}), asked };
  const gates = (code: string): readonly string[] =>
    said.flatMap((vote) => (vote.code === code ? [gateOf(book.phase ?? "", vote.rule) ?? []].flat() : []));
  // Whoever was told that time ran out may ask anew.
  const closed = gates("gate_timed_out");
  const left = { ...worked, openings: worked.openings.filter(({ gate, state }) => state === "rejected" || !closed.includes(gate)) };
  const [gate] = gates("gate_pending");
  const [, digest, tree = null] = ASKED_ABOUT.exec(said[0]?.reason ?? "") ?? [];
  if (votes.length !== 1 || gate === undefined || digest === undefined) return left;
  const opened = { gate, artifacts: digest, tree, policy: policyOf(details), to, agent: agent_id, opened_at: timestamp };
  const known = left.openings.find((one) => one.gate === gate && one.state === "open");
  if (known !== undefined && KEYS.every((key) => known[key] === opened[key])) return left;
  const opening: Opening = { ...opened, votes: [], state: "open", escalated: false };
  // A no stands as long as the phase does, whatever is asked in between.
  return { ...left, openings: [...left.openings.filter((one) => one.gate !== gate || one.state === "rejected"), opening] };
}

/** What a yes is to. */
const KEYS = ["to", "artifacts", "tree", "policy"] as const;

/** What a yes would be to, as the vote that asks for it says. */
export const askedAbout = (artifacts: string, tree: string | null): string =>
  `to artifacts \`${artifacts}\`${tree === null ? "" : ` in workspace \`${tree}\``}`;

const ASKED_ABOUT = /to artifacts `(sha256:[0-9a-f]{64})`(?: in workspace `(sha256:[0-9a-f]{64})`)?/;

/** The name of what approvers are asked by, in votes. */
export const approvalRule = (phase: string, gate: string): string => `${phase}.gates.${gate}.approval`;

function gateOf(phase: string, rule: string): string | undefined {
  const [head, tail] = [`${phase}.gates.`, ".approval"];
  return rule.startsWith(head) && rule.endsWith(tail) ? rule.slice(head.length, -tail.length) : undefined;
}

function withWorker(book: Book, agent: string | null, { phase }: { readonly phase?: string | null }): Book {
  const name = foldName(agent ?? "");
  if (name === "") return book;
  const known: Worker = book.workers.find((worker) => worker.name === name) ?? { name, asked: false, phases: [] };
  const here = phase ?? "";
  if (phase === undefined ? known.asked : known.phases.includes(here)) return book;
  const worker: Worker = phase === undefined ? { ...known, asked: true } : { ...known, phases: [...known.phases, here] };
  return { ...book, workers: [...book.workers.filter((one) => one !== known), worker] };
}

const withOpening = (book: Book, gate: string, change: (opening: Opening) => Opening): Book => ({
  ...book,
  openings: book.openings.map((opening) => (opening.gate === gate && opening.state === "open" ? change(opening) : opening)),
});

interface RecordedVote {
  readonly plugin: string;
  readonly code: string;
  readonly effect: string;
  readonly rule: string;
  readonly reason: string;
  readonly severity: Json;
  readonly shadow: Json;
}

function votesOf({ decision }: JsonObject): readonly RecordedVote[] {
  const votes: Json = isJsonObject(decision ?? null) ? ((decision as JsonObject)["votes"] ?? []) : [];
  return (Array.isArray(votes) ? (votes as readonly Json[]) : [])
    .filter(isJsonObject)
    .map((vote) => ({
      plugin: textOf(vote, "plugin"),
      code: textOf(vote, "code"),
      effect: textOf(vote, "effect"),
      reason: textOf(vote, "reason"),
      rule: isJsonObject(vote["rule"] ?? null) ? textOf(vote["rule"] as JsonObject, "name") : "",
      severity: vote["severity"] ?? null,
      shadow: vote["shadow"] ?? null,
    }));
}

function policyOf({ decision }: JsonObject): string {
  const policy: Json = isJsonObject(decision ?? null) ? ((decision as JsonObject)["policy"] ?? null) : null;
  return isJsonObject(policy) ? textOf(policy, manifest.name) : "";
}

function textOf(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}
