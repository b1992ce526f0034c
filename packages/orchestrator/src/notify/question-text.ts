import { canonicalJson, type Json } from "@bylaw/kernel";
import { redactSecrets } from "@bylaw/plugin-event-log";
import { oneLine } from "@bylaw/wording";
import type { OpenQuestion } from "../approvals/question-list.ts";

const MAX_LENGTH = 500;

/** A question in words, as plain text on one line each. */
export interface QuestionText {
  readonly title: string;
  /** What the agent wants to do, shortened. */
  readonly what: string;
  /** Why a person is asked. */
  readonly reason: string;
}

/**
 * Describes a question for people who are told of it. What agents wrote cannot look like more than one line, and has no secrets in it,
 * because others carry the message.
 */
export function questionText(question: OpenQuestion): QuestionText {
  const who = `${question.agent ?? "An agent"}${question.task === null ? "" : `, task ${question.task}`}`;
  const title = oneLine(`${who}: ${TITLES[question.kind]}`, 200);
  switch (question.kind) {
    case "call":
      return {
        title,
        what: oneLine(
          `${question.tool} ${canonicalJson(withoutSecrets(question.args))}`,
          MAX_LENGTH,
        ),
        reason: oneLine(proseOf(question.reason), MAX_LENGTH),
      };
    case "gate": {
      const { gate, to, approvals, quorum } = question;
      const yes = approvals.filter(({ verdict }) => verdict === "approved").length;
      return {
        title,
        what: oneLine(`${gate}: to phase ${to}`, MAX_LENGTH),
        reason: `${yes} of ${quorum} said yes`,
      };
    }
    case "pause":
    case "hold":
      return {
        title,
        what: oneLine(question.step === null ? question.kind : `step ${question.step}`, MAX_LENGTH),
        reason: oneLine(proseOf(question.reason ?? ""), MAX_LENGTH),
      };
  }
}

const withoutSecrets = (args: Json): Json => redactSecrets({ details: { args } })["args"] ?? null;

function proseOf(text: string): string {
  const clean = withoutSecrets(text);
  return typeof clean === "string" ? clean : canonicalJson(clean);
}

const TITLES = {
  call: "may it make this call?",
  gate: "may it go on to the next phase?",
  pause: "paused",
  hold: "held",
} as const;
