import type { Contract, Gate } from "@bylaw/contract";
import type { RuleReference, Verdict } from "@bylaw/kernel";
import { foldName } from "@bylaw/log";
import { prose, quote, quoteAll } from "@bylaw/wording";
import type { Book, GateVote } from "./book.ts";
import { refuse } from "./codes.ts";
import { askedAbout } from "./gate-book.ts";
import { expiryOf } from "./states.ts";

/** What is asked of approvers. */
export interface Question {
  readonly contract: Contract;
  readonly gate: Gate;
  /** The phase that is asked for. */
  readonly to: string;
  readonly book: Book;
  /** The digest of the artifacts that are handed in. */
  readonly artifacts: string;
  /** The digest of the workspace; `null` where the contract has no tests that are run. */
  readonly tree: string | null;
  readonly policy: string;
  /** Who asks. */
  readonly agent: string | undefined;
  /** RFC 3339; undefined where nobody says what time it is. */
  readonly at: string | undefined;
  readonly rule: RuleReference;
  readonly worked: (name: string) => boolean;
}

/** What is in the way of a gate that asks approvers, or nothing where enough of them said yes to exactly these artifacts. */
export function judgeApproval({
  contract,
  gate,
  to,
  book,
  artifacts,
  tree,
  policy,
  agent,
  at,
  rule,
  worked,
}: Question): Verdict | undefined {
  if (gate.quorum === 0) return undefined;
  const { id, approvers, quorum } = gate;
  // Nobody knows whose work it is, so nobody could be kept from approving their own.
  if (foldName(agent ?? "") === "")
    return refuse(
      "gate_blocked",
      rule,
      `Unexpected request without an agent at gate ${quote(id)}, expected the name of who asks`,
      "let the host name the agent",
    );
  const same = book.openings.filter((one) => one.gate === id && one.to === to && one.artifacts === artifacts && one.policy === policy);
  const opening = same.find((one) => one.tree === tree);
  const said = opening?.votes ?? [];
  const refusal = said.find(({ verdict }) => verdict === "rejected");
  if (refusal !== undefined)
    return refuse(
      "gate_blocked",
      rule,
      `Unexpected no of ${quote(refusal.by)} at gate ${quote(id)}${refusal.reason === null ? "" : `: ${prose(refusal.reason, 500)}`}, expected ${quorum} yes of ${quoteAll(approvers, 5)}`,
      "change what was rejected, and hand it in again",
    );
  const yes = peopleOf(said).filter((name) => !worked(name));
  if (yes.length >= quorum) return undefined;
  const wanted = `expected ${quorum} yes of ${quoteAll(approvers, 5)} ${askedAbout(artifacts, tree)}, with ${yes.length} so far`;
  const expired = opening !== undefined && at !== undefined && Date.parse(at) >= expiryOf(gate, opening);
  const closes = contract.recovery.gateTimeout.action === "reject";
  if (opening !== undefined && (opening.state === "timed_out" || (expired && closes)))
    return refuse(
      "gate_timed_out",
      rule,
      `Unexpected end of the time of gate ${quote(id)}, opened at ${opening.opened_at}, ${wanted}`,
      "ask for the transition again: the gate is opened anew",
    );
  if (opening !== undefined && (expired || opening.escalated))
    return refuse(
      "gate_needs_human",
      rule,
      `Unexpected end of the time of gate ${quote(id)}, opened at ${opening.opened_at}, ${wanted}: a person is called`,
      "wait for a person",
    );
  const before = same.at(-1);
  return refuse(
    "gate_pending",
    rule,
    opening === undefined && before !== undefined
      ? `Unexpected change of the workspace since gate ${quote(id)} was opened at ${before.opened_at}, so it is asked about anew, ${wanted}`
      : `Unexpected request at gate ${quote(id)} that waits for approvers, ${wanted}`,
    "ask again when they have decided, and let the workspace be as it is until then",
  );
}

/** The different people who said yes. */
const peopleOf = (votes: readonly GateVote[]): readonly string[] => [
  ...new Set(votes.filter(({ verdict }) => verdict === "approved").map(({ by }) => foldName(by))),
];
