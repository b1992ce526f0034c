import { useState } from "preact/hooks";
import { summaryOf } from "../src/rows.ts";
import type { Me } from "./api.ts";
import { QuestionPanel } from "./question.tsx";
import { timeText } from "./shown.ts";
import { Text } from "./text.tsx";
import { titleOf, useQuestions, type Asked } from "./use-questions.ts";

interface QuestionsProps {
  readonly run: string | undefined;
  readonly me: Me;
}

/** What waits for a person, and one of them opened. The buttons are in the opened one alone, because the list moves as questions come. */
export function Questions({ run, me }: QuestionsProps) {
  const { questions, total, state, error } = useQuestions(run);
  const [open, setOpen] = useState<Asked>();
  const present = questions.find(({ id }) => id === open?.id);
  const words = { loading: "Loading …", live: "Live", offline: "Not connected" } as const;
  const close = (): void => {
    const was = open?.id;
    setOpen(undefined);
    requestAnimationFrame(() =>
      (
        document.getElementById(`question-${was}`) ??
        document.querySelector<HTMLElement>(".questions")
      )?.focus(),
    );
  };
  return (
    <div class={open === undefined ? "split" : "split opened"}>
      <section class="column" aria-label="Questions">
        <p class="status" role="status">
          <span class={`state ${state}`}>{words[state]}</span>
          <span>
            {total === 1 ? "1 question waits" : `${total.toLocaleString("en")} questions wait`}
            {total > questions.length && state !== "loading"
              ? `, the first ${questions.length} are listed`
              : ""}
          </span>
          {error !== undefined && <span class="error">{error}</span>}
        </p>
        {!me.can_answer && (
          <p class="note muted">
            {me.many_runs
              ? "This page only reads. To answer, and to see gates too, start bylaw ui with --operator, or use bylaw approve."
              : "You cannot answer in this run."}
          </p>
        )}
        <ul class="questions" tabIndex={-1}>
          {questions.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                id={`question-${one.id}`}
                aria-current={one.id === open?.id}
                onClick={() => setOpen(one)}
              >
                <strong>
                  <Text>{titleOf(one)}</Text>
                </strong>
                {one.kind === "call" && (
                  <span class="summary">
                    <Text>{summaryOf({ args: one.args })}</Text>
                  </span>
                )}
                <span class="muted">
                  <Text>{one.agent}</Text>
                  {one.task !== null && (
                    <>
                      , task <Text>{one.task}</Text>
                    </>
                  )}
                  , {timeText(one.asked_at ?? one.opened_at ?? "")}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      {open !== undefined && (
        <QuestionPanel
          key={open.id}
          run={run}
          question={present ?? open}
          isListed={present !== undefined}
          me={me}
          onClose={close}
        />
      )}
    </div>
  );
}
