import type { LogEvent } from "@bylaw/kernel";
import { plain, short } from "../text.ts";
import { write } from "../output.ts";

/** Is told what happens, and shows it. */
export interface Progress {
  readonly events: (events: readonly LogEvent[]) => void;
  readonly output: (step: string, stream: "stdout" | "stderr", text: string) => void;
  readonly close: () => Promise<void>;
}

const TAIL = 4_000;

/** How a run is shown: live where a person looks, as plain lines elsewhere, not at all beside JSON. */
export async function progressOf({ json, steps }: { readonly json: boolean; readonly steps: number }): Promise<Progress> {
  const tails = new Map<string, string>();
  const output: Progress["output"] = (step, _, text) => void tails.set(step, `${tails.get(step) ?? ""}${text}`.slice(-TAIL));
  if (json) return { events: () => {}, output, close: async () => {} };
  const show = process.stderr.isTTY ? await live(steps) : lines();
  return {
    output,
    events(events) {
      for (const event of events) {
        const line = lineOf(event);
        if (line === undefined) continue;
        const step = String(event.details["step"]);
        if (isBegin(event)) tails.delete(step);
        const failed = isEnd(event) && event.details["ok"] !== true;
        show.line(event, failed ? `${line}${tailOf(tails.get(step))}` : line);
      }
    },
    close: async () => show.close(),
  };
}

interface Shown {
  readonly line: (event: LogEvent, text: string) => void;
  readonly close: () => Promise<void> | void;
}

function lines(): Shown {
  let written: Promise<void> | undefined;
  return { line: (_, text) => void (written = write(`${text}\n`) ?? written), close: () => written };
}

async function live(steps: number): Promise<Shown> {
  const { log, spinner } = await import("@clack/prompts");
  const output = process.stderr;
  let spin: ReturnType<typeof spinner> | undefined;
  let done = 0;
  const open = new Set<string>();
  const rest = (): void => {
    if (open.size === 0) return;
    spin = spinner({ output, indicator: "timer" });
    spin.start(`${[...open].join(", ")} (${done} done, ${steps} in all)`);
  };
  return {
    line(event, text) {
      const step = short(String(event.details["step"] ?? ""), 80);
      spin?.clear();
      spin = undefined;
      if (isBegin(event)) open.add(step);
      else {
        if (isEnd(event)) open.delete(step);
        if (event.event_type === "step_settled") done += 1;
        if (isEnd(event) && event.details["ok"] === true) log.success(text, { output });
        else if (isEnd(event) || event.event_type === "workflow_held") log.error(text, { output });
        else log.info(text, { output });
      }
      rest();
    },
    close() {
      spin?.clear();
    },
  };
}

const isBegin = ({ event_type }: LogEvent): boolean => event_type === "step_started" || event_type === "call_started";
const isEnd = ({ event_type }: LogEvent): boolean => event_type === "step_completed" || event_type === "call_completed";

const tailOf = (text: string | undefined): string =>
  (text ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-10)
    .map((line) => `\n    ${plain(line)}`)
    .join("");

/** What happened, in one line; `undefined`: nothing that a person waits for. */
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
    case "control_file_set_aside":
      return `${text("step")}: a control file was set aside (${text("why")})`;
    default:
      return undefined;
  }
}
