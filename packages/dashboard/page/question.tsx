import { useEffect, useRef, useState } from "preact/hooks";
import type { Me } from "./api.ts";
import { AnswerForm } from "./answer-form.tsx";
import { timeText } from "./shown.ts";
import { jsonText, LongText, Text } from "./text.tsx";
import { titleOf, type Asked } from "./use-questions.ts";

interface PanelProps {
  readonly run: string | undefined;
  readonly question: Asked;
  /** Whether it still waits. */
  readonly isListed: boolean;
  readonly me: Me;
  readonly onClose: () => void;
}

/** A question with everything that a yes covers. */
export function QuestionPanel({ run, question, isListed, me, onClose }: PanelProps) {
  const [given, setGiven] = useState<string>();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const waits = isListed && question.state === "open";
  return (
    <section
      class="panel"
      aria-label="Question"
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <div class="panel-head">
        <h2>
          <Text>{titleOf(question)}</Text>
        </h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Facts question={question} />
      <Subject question={question} />
      <p role="status">
        {given !== undefined && `Your ${given} is on record. `}
        {!isListed && given === undefined && "This question no longer waits."}
        {isListed &&
          question.state === "approved" &&
          "Enough people said yes. The agent must ask again."}
      </p>
      {waits && given === undefined && me.can_answer && (
        <AnswerForm run={run} question={question} me={me} onGiven={setGiven} />
      )}
    </section>
  );
}

function Facts({ question }: { readonly question: Asked }) {
  const { agent, task, reason, approvals = [], approvers, quorum } = question;
  const yes = approvals.filter(({ verdict }) => verdict === "approved");
  const asked = question.asked_at ?? question.opened_at;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["Agent", agent],
    ["Task", task],
    ["Why", reason],
    ["Phase", question.phase],
    ["Asked", asked === undefined ? undefined : timeText(asked)],
    ["Expires", typeof question.expires_at === "string" ? timeText(question.expires_at) : null],
    ["Roles", approvers?.join(", ")],
    [
      "Yes so far",
      quorum === undefined
        ? undefined
        : `${yes.length} of ${quorum}${yes.map(({ by, role }) => `, ${by} (${role})`).join("")}`,
    ],
    ["Id", question.id],
  ];
  return (
    <dl class="facts">
      {facts.map(([label, value]) =>
        value === null || value === undefined ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Text>{value}</Text>
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Subject({ question }: { readonly question: Asked }) {
  const { kind, tool, args, call, content, before, redacted } = question;
  if (kind === "call")
    return (
      <>
        <h3>A yes covers exactly this call</h3>
        <LongText text={jsonText(call ?? { tool, args })} label="The call" isWhole />
        {call === undefined && (
          <p class="error">Parts of this call were redacted. Only its host can approve it.</p>
        )}
      </>
    );
  if (kind !== "gate") return <p>A yes lets the agent continue.</p>;
  return (
    <>
      <h3>A yes covers exactly these artifacts</h3>
      {content === undefined ? (
        <p class="error">The log does not have them, so nobody can approve them.</p>
      ) : (
        <LongText text={jsonText(content)} label="The artifacts" isWhole />
      )}
      {redacted === true && <p class="error">Parts of them were redacted.</p>}
      {before !== undefined && (
        <>
          <h3>Handed in before</h3>
          <LongText text={jsonText(before)} label="The earlier artifacts" />
        </>
      )}
    </>
  );
}
