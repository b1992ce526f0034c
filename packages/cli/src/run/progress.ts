import type { LogEvent } from "@bylaw/kernel";
import { plain, short } from "../io/text.ts";
import { write } from "../io/output.ts";

/** Shows events and output as they come. */
export interface Progress {
  readonly events: (events: readonly LogEvent[]) => void;
  readonly output: (step: string, stream: "stdout" | "stderr", text: string) => void;
  readonly close: () => Promise<void>;
}

const TAIL = 4_000;

/** How to show a run: live on a terminal, otherwise as plain lines, and not at all with JSON. */
export async function progressOf({
  json,
  steps,
}: {
  readonly json: boolean;
  readonly steps: number;
}): Promise<Progress> {
  const tails = new Map<string, string>();
  if (json) return { events: () => {}, output: () => {}, close: async () => {} };
  // Without a known width, a terminal cannot be redrawn.
  const show = process.stderr.isTTY && process.stderr.columns > 0 ? await live(steps) : lines();
  return {
    output(step, _, text) {
      tails.set(step, `${tails.get(step) ?? ""}${text}`.slice(-TAIL));
      show.output(step, text);
    },
    events(events) {
      const alone = events.filter(isBegin).length === 1;
      for (const event of events) {
        const line = lineOf(event) ?? "";
        const step = String(event.details["step"]);
        if (isBegin(event)) tails.delete(step);
        const failed = isEnd(event) && event.details["ok"] !== true;
        show.line(event, failed ? `${line}${tailOf(tails.get(step))}` : line, { alone });
      }
    },
    close: async () => show.close(),
  };
}

interface Shown {
  /** Shows an event. `alone`: whether no other step begins with it. */
  readonly line: (event: LogEvent, text: string, among: { readonly alone: boolean }) => void;
  readonly output: (step: string, text: string) => void;
  readonly close: () => Promise<void> | void;
}

function lines(): Shown {
  let written: Promise<void> | undefined;
  return {
    line(_, text) {
      if (text !== "") written = write(`${text}\n`) ?? written;
    },
    output: () => {},
    close: () => written,
  };
}

async function live(steps: number): Promise<Shown> {
  // Without a spinner: a spinner reads the keyboard, and at ctrl-c ends the process while programs of the steps still run.
  const { log, taskLog } = await import("@clack/prompts");
  const output = process.stderr;
  let current: { readonly step: string; readonly task: ReturnType<typeof taskLog> } | undefined;
  let done = 0;
  return {
    line(event, text, { alone }) {
      const step = String(event.details["step"] ?? "");
      if (event.event_type === "step_settled") done += 1;
      if (isBegin(event) && alone && current === undefined) {
        current = {
          step,
          task: taskLog({ title: `${text} (${done} of ${steps} done)`, limit: 5, output }),
        };
      } else if (isBegin(event)) log.step(text, { output });
      else if (isEnd(event)) {
        const ok = event.details["ok"] === true;
        if (current?.step !== step) log[ok ? "success" : "error"](text, { output });
        else current.task[ok ? "success" : "error"](text, { showLog: false });
        if (current?.step === step) current = undefined;
      } else if (text !== "") log.info(text, { output });
    },
    output(step, text) {
      if (current?.step !== step) return;
      for (const line of text.split("\n"))
        if (line.trim() !== "") current.task.message(short(line, 160));
    },
    close: () => {},
  };
}

const isBegin = ({ event_type }: LogEvent): boolean =>
  event_type === "step_started" || event_type === "call_started";
const isEnd = ({ event_type }: LogEvent): boolean =>
  event_type === "step_completed" || event_type === "call_completed";

const tailOf = (text: string | undefined): string =>
  (text ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-10)
    .map((line) => `\n    ${plain(line)}`)
    .join("");

/** Describes an event in one line. Undefined for events that nobody waits for. */
function lineOf({ event_type, agent_id, details }: LogEvent): string | undefined {
  const text = (key: string): string => short(String(details[key] ?? ""), 200);
  const who = agent_id === null ? "" : ` by ${short(agent_id, 80)}`;
  const attempt = Number(details["attempt"]) > 1 ? `, attempt ${text("attempt")}` : "";
  const how =
    details["error"] === null || details["error"] === undefined
      ? details["exit_code"] === null
        ? ""
        : ` with exit code ${text("exit_code")}`
      : `: ${text("error")}`;
  switch (event_type) {
    case "step_started":
      return `${text("step")}: begins${who}${attempt}`;
    case "step_completed":
      return details["ok"] === true
        ? `${text("step")}: done in ${text("duration_ms")} ms`
        : `${text("step")}: failed${details["timed_out"] === true ? " at the end of its time" : how}`;
    case "step_skipped":
      return `${text("step")}: left out (${text("why")})`;
    case "call_started":
      return `${text("step")}: calls ${text("agent")}${attempt}`;
    case "call_completed":
      return `${text("step")}: ${text("agent")} ${details["ok"] === true ? "returned" : `failed${how}`}`;
    case "behavior_applied":
      return `${text("step")}: ${text("action")}${details["reason"] === undefined ? "" : ` (${text("reason")})`}`;
    case "behavior_rejected":
      return `${text("step")}: ${text("action")} is not granted`;
    case "oversight_due":
      return `${text("step")}: oversight is required before it (${text("why")})`;
    case "workflow_migrated":
      return `carried over to another template by ${text("by")}`;
    case "control_file_set_aside":
      return `${text("step")}: a control file was set aside (${text("why")})`;
    default:
      return undefined;
  }
}
