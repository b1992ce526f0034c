import { useRef, useState } from "preact/hooks";
import { createKey, post, type Me, type Refusal } from "./api.ts";
import { shown } from "./shown.ts";
import type { Asked } from "./use-questions.ts";

interface FormProps {
  readonly run: string | undefined;
  readonly question: Asked;
  readonly me: Pick<Me, "roles" | "is_agent">;
  readonly onGiven: (answer: string) => void;
}

/** The tool whose approval carries the answer to the agent's question. */
const QUESTION_TOOL = "ask_user_question";

/** The role that no agent may take. */
const PERSON = "human";

/** Answers a question with yes or no. */
export function AnswerForm({ run, question, me: { roles, is_agent }, onGiven }: FormProps) {
  const { id, kind, tool, approvers = [] } = question;
  const own = approvers.filter(
    (one) => (roles?.includes(one) ?? true) && !(is_agent && one === PERSON),
  );
  const isAsked = kind === "call" && tool === QUESTION_TOOL;
  const isStop = kind === "pause" || kind === "hold";
  const [reason, setReason] = useState("");
  const [role, setRole] = useState(own.length === 1 ? own[0] : "");
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  const choice = useRef<HTMLSelectElement>(null);
  // The same answer sent again after a lost connection has the same key, so that it counts once.
  const sent = useRef({ body: "", key: "" });

  const send = async (answer: "yes" | "no"): Promise<void> => {
    const said = reason.trim();
    if (own.length > 1 && role === "") {
      setError("Choose the role in which you answer.");
      return choice.current?.focus();
    }
    if (answer === "no" && said === "") {
      setError("A no needs a reason. The agent gets it.");
      return text.current?.focus();
    }
    const isPlainYes = answer === "yes" && kind === "call" && !isAsked;
    const body = {
      answer,
      ...(role === "" ? {} : { role }),
      ...(said === "" || isPlainYes ? {} : { reason: said }),
    };
    if (sent.current.body !== JSON.stringify(body))
      sent.current = { body: JSON.stringify(body), key: createKey() };
    setSending(true);
    setError(undefined);
    try {
      await post(`approvals/${id}`, { run }, body, sent.current.key);
      onGiven(answer);
    } catch (failure) {
      const { message, fix = "" } = failure as Refusal;
      setError(`${message}. ${fix}`);
      setSending(false);
    }
  };

  if (is_agent && own.length === 0)
    return <p>An agent of this run has your name, and only a person may answer this.</p>;
  if (kind === "gate" && own.length === 0 && approvers.length > 0)
    return <p>You have none of the roles that may answer.</p>;
  return (
    <form class="answer" onSubmit={(event) => event.preventDefault()}>
      {own.length > 1 && (
        <label>
          Your role
          <select
            ref={choice}
            value={role}
            onChange={({ currentTarget }) => setRole(currentTarget.value)}
          >
            <option value="">choose</option>
            {own.map((one) => (
              <option key={one} value={one}>
                {shown(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      {!isStop && (
        <label>
          {isAsked ? "Your answer, or the reason of a no" : "Reason, which a no needs"}
          <textarea
            ref={text}
            rows={3}
            maxLength={10_000}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
      )}
      <p class="error" role="alert">
        {error}
      </p>
      <div class="buttons">
        <button type="button" disabled={isSending} onClick={() => void send("yes")}>
          Yes
        </button>
        {!isStop && (
          <button type="button" disabled={isSending} onClick={() => void send("no")}>
            No
          </button>
        )}
      </div>
    </form>
  );
}
