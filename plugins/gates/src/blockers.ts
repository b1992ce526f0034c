import type { Contract } from "@bylaw/contract";
import { omitUndefined, type Decision } from "@bylaw/kernel";
import { oneLine, quoteAll } from "@bylaw/wording";

/** One cause that blocks a transition. */
export interface Blocker {
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  /** The checks and rules that failed because of it. */
  readonly checks: readonly string[];
}

type Vote = Decision["votes"][number];
type Asked = Pick<Decision, "votes" | "code" | "reason" | "fix">;

const CHECKED_BY = / \(checked by `([^`]*)`\)$/;
const MISSING = /^The (?:artifact `([^`]+)`|`([^`]+)` artifact) is missing/;
const FAILED = /^\d+ test\(s\) failed$/;
/** Checks that also fail whenever a test fails. */
const FOLLOWS =
  /^Tests ended with exit code \d+$|^No test passed; at least one must$|^\d+ test\(s\) of the failing run still fail: /;

/** Everything that blocks a transition, one entry a cause. Checks that fail for the same reason share an entry. */
export function blockersOf(
  { gates, phases }: Pick<Contract, "gates" | "phases">,
  { votes, code, reason, fix }: Asked,
): readonly Blocker[] {
  const against = votes.filter(
    ({ effect, severity, shadow }) =>
      effect !== "allow" && severity !== "warning" && shadow !== true,
  );
  if (against.length === 0) return [{ code, reason, ...omitUndefined({ fix }), checks: [] }];
  const messages = [
    ...gates.flatMap(({ checks }) => checks),
    ...phases.flatMap(({ artifacts }) => artifacts.flatMap(({ rules }) => rules)),
  ].map(({ message }) => `${oneLine(message, 500)}: `);
  const groups = new Map<string, Vote[]>();
  for (const vote of against) {
    const cause = causeOf(vote.reason, messages);
    groups.set(cause, [...(groups.get(cause) ?? []), vote]);
  }
  if ([...groups.keys()].some((cause) => FAILED.test(cause)))
    for (const cause of [...groups.keys()]) if (FOLLOWS.test(cause)) groups.delete(cause);
  return [...groups].map(([cause, same]) => blockerOf(cause, same));
}

/** The finding alone, without the contract's text and the name of the check. */
function causeOf(reason: string, messages: readonly string[]): string {
  const message = messages.find((one) => reason.startsWith(one)) ?? "";
  const found = reason.slice(message.length).replace(CHECKED_BY, "");
  const [, one, other = one] = MISSING.exec(found) ?? [];
  return other === undefined ? found : `missing ${other}`;
}

function blockerOf(cause: string, same: readonly Vote[]): Blocker {
  // The plugin that requires an artifact describes its absence best.
  const first = same.find(({ code }) => code === "artifact_missing") ?? same[0];
  const checks = [
    ...new Set(same.flatMap(({ reason }) => CHECKED_BY.exec(reason)?.slice(1, 2) ?? [])),
  ];
  const { code = "", reason = cause, fix } = first ?? {};
  const alone = same.length === 1 || cause.startsWith("missing ");
  return {
    code,
    reason: alone ? reason : `${cause} (checked by ${quoteAll(checks)})`,
    ...omitUndefined({ fix }),
    checks,
  };
}
