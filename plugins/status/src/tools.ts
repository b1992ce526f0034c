import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { CALL_EVENTS } from "@bylaw/log";
import { objectFrom, firstCharacters, rounded, textOf } from "./reading.ts";
import type { Tools } from "./schema.ts";

// A model can call any number of invented tools, and leave any number of calls without a result.
const NAMES = 1_000;
const OPEN = 10_000;
const OTHERS = "(others)";
/** Longest name that is shown, in characters. */
const MAX_LENGTH = 200;

type Use = Omit<
  Tools["by_tool"][string],
  "avg_execution_time_ms" | "input_tokens_est" | "output_tokens_est"
>;

const UNUSED: Use = {
  call_count: 0,
  success_count: 0,
  failure_count: 0,
  denied_count: 0,
  asked_count: 0,
  total_execution_time_ms: 0,
  total_input_chars: 0,
  total_output_chars: 0,
  tool_type: "custom",
};

/** Folds decisions about tool calls, and the results of the calls. */
export class ToolFold {
  readonly #uses = new Map<string, Use>();
  readonly #open = new Map<string, number>();
  #failures = 0;

  add(event: LogEvent, at: number): void {
    const { event_type, agent_id, details } = event;
    const tool = textOf(details["tool"]);
    if (tool === undefined) return;
    // Two agents may use the same call ids.
    const given = textOf(details["id"]);
    const id = given === undefined ? undefined : JSON.stringify([agent_id, given]);
    if (event_type === "tool_result") this.#returned(this.#useOf(tool), details, id, at);
    else if (CALL_EVENTS.has(event_type)) this.#decided(this.#useOf(tool), event, id, at);
  }

  value(): Tools {
    const rows = [...this.#uses].map(([name, use]) => {
      const returned = use.success_count + use.failure_count;
      const time = use.total_execution_time_ms;
      const row = {
        ...use,
        total_execution_time_ms: rounded(time, 2),
        avg_execution_time_ms: returned === 0 ? 0 : rounded(time / returned, 2),
        input_tokens_est: Math.floor(use.total_input_chars / 4),
        output_tokens_est: Math.floor(use.total_output_chars / 4),
      };
      return [name, row] as const;
    });
    const sum = (field: "call_count" | "total_execution_time_ms"): number =>
      [...this.#uses.values()].reduce((all, use) => all + use[field], 0);
    return {
      total_calls: sum("call_count"),
      total_failures: this.#failures,
      total_execution_time_ms: rounded(sum("total_execution_time_ms"), 2),
      by_tool: objectFrom(new Map(rows)),
    };
  }

  #useOf(tool: string): Use {
    const short = firstCharacters(tool, MAX_LENGTH);
    const name = this.#uses.size < NAMES || this.#uses.has(short) ? short : OTHERS;
    const use = this.#uses.get(name) ?? { ...UNUSED };
    this.#uses.set(name, use);
    return use;
  }

  #returned(use: Use, details: JsonObject, id: string | undefined, at: number): void {
    const ok = details["ok"] === true;
    use[ok ? "success_count" : "failure_count"] += 1;
    if (!ok) this.#failures += 1;
    use.total_output_chars += charsOf(details["result"]);
    const begun = id === undefined ? undefined : this.#open.get(id);
    if (begun === undefined || id === undefined) return;
    use.total_execution_time_ms += Math.max(0, (at - begun) * 1_000);
    this.#open.delete(id);
  }

  #decided(use: Use, { event_type, details }: LogEvent, id: string | undefined, at: number): void {
    use.call_count += 1;
    use.total_input_chars += charsOf(details["args"]);
    if (typeof details["server"] === "string") use.tool_type = "mcp";
    if (event_type === "tool_denied") use.denied_count += 1;
    else if (event_type === "tool_asked") use.asked_count += 1;
    else if (id !== undefined) {
      this.#open.set(id, at);
      const [oldest] = this.#open.size > OPEN ? this.#open.keys() : [];
      if (oldest !== undefined) this.#open.delete(oldest);
    }
  }
}

const charsOf = (value: unknown): number =>
  value === undefined || value === null ? 0 : JSON.stringify(value).length;
