import type { LogEvent } from "@bylaw/kernel";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { reportError } from "../io/report-error.ts";
import { plain } from "../io/text.ts";
import { acceptedText } from "../suggest/accept-rule.ts";
import { outdatedText, type AddedRule } from "./always-rule.ts";
import { isRefusal } from "./is-refusal.ts";
import type { ApproveOptions } from "./session.ts";

/** The event of an answer. From a server, only some of its fields are known. */
export type RecordedAnswer = Pick<LogEvent, "event_type" | "sequence" | "details"> & {
  readonly task_id?: string | null;
  /** The rule that a yes added. */
  readonly always?: AddedRule;
};

const VERDICTS: Readonly<Record<string, string>> = {
  check_waived: "waived",
  approval_granted: "approved",
  approval_refused: "rejected",
  mark_cleared: "cleared",
  checkpoint_resumed: "resumed",
  oversight_acknowledged: "acknowledged",
};

/** Prints the recorded answer, or the refusal, which exits with 1. Wrong usage and broken files exit with 2. */
export async function reportAnswer(
  { json = false }: Pick<ApproveOptions, "json">,
  work: () => Promise<RecordedAnswer>,
): Promise<void> {
  try {
    const event = await work();
    const { event_type, sequence, task_id = null, details, always } = event;
    const { by, role, verdict, gate, check, mark, expires_at } = details;
    const words = [
      verdict ?? VERDICTS[event_type],
      mark,
      check,
      gate,
      task_id === null ? undefined : `task ${task_id}`,
    ];
    const whom = `by ${String(by)}${role === undefined ? "" : ` as ${String(role)}`}${expires_at === undefined ? "" : `, until ${String(expires_at)}`}`;
    const text = [...words.filter((word) => word !== undefined).map(String), whom].join(" ");
    const added =
      always === undefined ? "" : `${acceptedText(always)}${outdatedText(always.outdated_calls)}`;
    await write(json ? jsonLine(event) : `${plain(text)} (event ${sequence})\n${added}`);
    conclude(0);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    reportError(error, { json });
    conclude(1);
  }
}
