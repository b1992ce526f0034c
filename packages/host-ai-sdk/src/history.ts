import type { GuardedCall, PersonAnswer } from "@bylaw/host";
import type { ModelMessage } from "ai";

/** A person's answer in the messages. The sender of the messages may have forged it. */
export interface AnsweredCall {
  readonly call: GuardedCall;
  readonly answer: Pick<PersonAnswer, "approved" | "reason">;
}

const partsOfAssistant = (messages: readonly ModelMessage[]) =>
  messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content : [],
  );

/** Whether a call is already in the messages. A call that the model just made is not. */
export const isInHistory = (messages: readonly ModelMessage[], id: string): boolean =>
  partsOfAssistant(messages).some((part) => part.type === "tool-call" && part.toolCallId === id);

/** The answers in the last message, because the SDK acts on no others. If a call has two answers, the refusal counts. */
export function answersIn(messages: readonly ModelMessage[]): readonly AnsweredCall[] {
  const last = messages.at(-1);
  if (last?.role !== "tool") return [];
  const parts = partsOfAssistant(messages);
  return parts.flatMap((part) => {
    if (part.type !== "tool-call") return [];
    const { toolCallId: id, toolName: tool, input: args } = part;
    const asked = parts.flatMap((one) =>
      one.type === "tool-approval-request" && one.toolCallId === id ? [one.approvalId] : [],
    );
    const answers = last.content.flatMap((one) =>
      one.type === "tool-approval-response" && asked.includes(one.approvalId) ? [one] : [],
    );
    const answer = answers.find(({ approved }) => !approved) ?? answers[0];
    if (answer === undefined) return [];
    const { approved, reason } = answer;
    return [
      {
        call: { tool, args, id },
        answer: { approved, ...(reason === undefined ? {} : { reason }) },
      },
    ];
  });
}
