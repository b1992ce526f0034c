import { COMPLETED } from "@bylaw/contract";
import type { EventDraft, Finding, KernelApi, View } from "@bylaw/kernel";
import { foldName } from "@bylaw/log";
import { quote, quoteAll } from "@bylaw/wording";
import type { Compiled } from "./compile.ts";
import { bookOf, gateBook } from "./gate-book.ts";
import { workedOn } from "./judge.ts";
import { expiryOf, gateIn } from "./states.ts";
import { TESTS_UNCHANGED } from "./checks/same-tests.ts";

const finding = (rule: string, message: string): Finding => ({ rule, message });

/** Refuses what nobody may say about a gate, in the transaction in which it would be recorded. */
export function guardGates(kernel: KernelApi, compiled: Compiled): void {
  kernel.guard("decisions", (view, draft) => (draft.event_type === "gate_decided" ? wrongDecision(view, draft, compiled) : undefined));
  kernel.guard("waivers", (view, draft) => (draft.event_type === "check_waived" ? wrongWaiver(view, draft, compiled) : undefined));
  kernel.guard("timeouts", (view, draft) =>
    draft.event_type === "gate_escalated" || draft.event_type === "gate_closed" ? wrongTimeout(view, draft, compiled) : undefined,
  );
}

function wrongDecision(view: View, draft: EventDraft, compiled: Compiled): Finding | undefined {
  const { contract, policy } = compiled;
  const said = draft.details as Readonly<Record<string, string>>;
  const { gate: id = "", phase = "", by = "", role = "" } = said;
  const book = bookOf(view(gateBook), draft.task_id ?? "");
  const gate = gateIn(contract, id, book.phase);
  const opening = book.openings.find((one) => one.gate === id && one.state === "open");
  if (gate === undefined || phase !== book.phase || opening === undefined)
    return finding("open", `gate ${quote(id)} is not open, expected one that waits for approvers`);
  const { artifacts, tree = null, to = opening.to } = draft.details;
  const shown = artifacts === opening.artifacts && tree === opening.tree && to === opening.to;
  if (!shown || said["policy"] !== opening.policy || opening.policy !== policy)
    return finding(
      "shown",
      `it is about other artifacts, another workspace, another way or another contract than gate ${quote(id)} asks about, expected exactly those`,
    );
  if (!gate.approvers.includes(role))
    return finding("role", `role ${quote(role)} is no approver of gate ${quote(id)}, expected ${quoteAll(gate.approvers, 10)}`);
  const name = foldName(by);
  if (name === "") return finding("name", "it is of nobody, expected the name of an approver");
  if (workedOn({ compiled, book })(name)) return finding("own-work", `${quote(by)} worked on the task, expected somebody who did not`);
  if (opening.votes.some((vote) => foldName(vote.by) === name))
    return finding("one-vote", `${quote(by)} has decided already, expected one vote of each`);
  if (Date.parse(draft.timestamp) < expiryOf(gate, opening) && !opening.escalated) return undefined;
  if (contract.recovery.gateTimeout.action === "reject")
    return finding("in-time", `gate ${quote(id)} ran out of time, expected a decision before`);
  return role !== "human" && gate.approvers.includes("human")
    ? finding("in-time", `gate ${quote(id)} ran out of time and waits for a person, expected role \`human\``)
    : undefined;
}

function wrongWaiver(view: View, draft: EventDraft, compiled: Compiled): Finding | undefined {
  const said = draft.details as Readonly<Record<string, string>>;
  const { gate: id = "", phase = "", check = "", by = "", role = "", reason = "", expires_at = "" } = said;
  const book = bookOf(view(gateBook), draft.task_id ?? "");
  const targets = [...compiled.contract.transitions.flatMap(({ from, to }) => (from === book.phase ? [to] : [])), COMPLETED];
  const ways = book.phase === null ? [] : targets.flatMap((to) => compiled.ways(book.phase ?? "", to));
  // A gate may have the name of its phase: then what holds at each of them holds.
  const meant = ways.filter(({ gate, phase: { id: own }, when }) => when === "passed" && (gate?.id ?? own) === id);
  if (meant.length === 0 || phase !== book.phase)
    return finding("phase", `gate ${quote(id)} is none of the phase that the task is in, expected one that is`);
  const known = [...new Set([...meant.flatMap(({ demands }) => demands.map((demand) => demand.check.check)), TESTS_UNCHANGED])];
  if (!known.includes(check))
    return finding("check", `check ${quote(check)} is none of gate ${quote(id)}, expected ${quoteAll(known, 20)}`);
  // A gate that asks nobody can be waived by a person alone.
  const each = meant.map(({ gate }) => (gate !== undefined && gate.approvers.length > 0 ? gate.approvers : ["human"]));
  const roles = each[0]?.filter((one) => each.every((other) => other.includes(one))) ?? [];
  if (!roles.includes(role))
    return finding("role", `role ${quote(role)} may not waive at gate ${quote(id)}, expected ${quoteAll(roles, 10)}`);
  const name = foldName(by);
  if (name === "") return finding("name", "it is of nobody, expected the name of who waives");
  if (workedOn({ compiled, book })(name)) return finding("own-work", `${quote(by)} worked on the task, expected somebody who did not`);
  const why = emptyReason(reason);
  if (why !== undefined)
    return finding("reason", `the reason ${why}, expected at least ${REASON.characters} characters that say why: ${quote(reason)}`);
  return Date.parse(expires_at) > Date.parse(draft.timestamp)
    ? undefined
    : finding("expiry", `it ended at ${quote(expires_at)}, expected a time to come`);
}

function wrongTimeout(view: View, draft: EventDraft, { contract }: Compiled): Finding | undefined {
  const { gate: id = "", phase = "", opened_at = "" } = draft.details as Readonly<Record<string, string>>;
  const book = bookOf(view(gateBook), draft.task_id ?? "");
  const gate = gateIn(contract, id, book.phase);
  const opening = book.openings.find((one) => one.gate === id && one.state === "open" && one.opened_at === opened_at);
  if (gate === undefined || opening === undefined || phase !== book.phase)
    return finding("open", `gate ${quote(id)} is not open, expected one that is`);
  if (Date.parse(draft.timestamp) < expiryOf(gate, opening))
    return finding("in-time", `gate ${quote(id)} has time left, expected one that ran out of it`);
  const closes = contract.recovery.gateTimeout.action === "reject";
  if (closes !== (draft.event_type === "gate_closed"))
    return finding("action", `the contract says \`${contract.recovery.gateTimeout.action}\`, expected that`);
  return opening.escalated ? finding("once", `gate ${quote(id)} is escalated already, expected it once`) : undefined;
}

const REASON = { characters: 50, words: 6 } as const;
const STOCK =
  /^(n\/?a|none|obvious|already done|not (needed|necessary|applicable|required)|see above|as discussed|trust me|it is fine|todo|tbd|asdf|lorem ipsum)\b/i;

/** Why a text is no reason, if so. */
function emptyReason(reason: string): string | undefined {
  const text = foldName(reason);
  if (text.length < REASON.characters) return `has ${text.length} characters`;
  if (STOCK.test(text) && text.length < 2 * REASON.characters) return "is a stock phrase";
  const words = new Set(text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1));
  return words.size < REASON.words ? "repeats itself" : undefined;
}
