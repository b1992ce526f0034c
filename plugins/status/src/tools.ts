import type { LogEvent } from "@bylaw/kernel";
import { objectFrom, firstCharacters, rounded, textOf } from "./reading.ts";
import type { Tools } from "./schema.ts";

export interface ToolFold {
  add(event: LogEvent, at: number): void;
  value(): Tools;
}

// A model can call tools by any number of names that it made up, and can leave any number of calls without a result.
const NAMES = 1_000;
const OPEN = 10_000;
const OTHERS = "(others)";
/** Longest name that is shown, in characters. */
const LONGEST = 200;

interface Use {
  call_count: number;
  success_count: number;
  failure_count: number;
  denied_count: number;
  asked_count: number;
  total_execution_time_ms: number;
  total_input_chars: number;
  total_output_chars: number;
  tool_type: "mcp" | "custom";
}

/** Folds decisions about tool calls, and what the calls returned. */
export function createTools(): ToolFold {
  const uses = new Map<string, Use>();
  const open = new Map<string, number>();
  let failures = 0;

  function useOf(tool: string): Use {
    const short = firstCharacters(tool, LONGEST);
    const name = uses.size < NAMES || uses.has(short) ? short : OTHERS;
    const known = uses.get(name);
    if (known !== undefined) return known;
    const fresh: Use = {
      ...{ call_count: 0, success_count: 0, failure_count: 0, denied_count: 0, asked_count: 0 },
      ...{
        total_execution_time_ms: 0,
        total_input_chars: 0,
        total_output_chars: 0,
        tool_type: "custom",
      },
    };
    uses.set(name, fresh);
    return fresh;
  }

  return {
    add({ event_type, agent_id, details }, at) {
      const tool = textOf(details["tool"]);
      if (tool === undefined) return;
      // Two agents may number their calls alike.
      const given = textOf(details["id"]);
      const id = given === undefined ? undefined : JSON.stringify([agent_id, given]);
      if (event_type === "tool_result") {
        const use = useOf(tool);
        const ok = details["ok"] === true;
        use[ok ? "success_count" : "failure_count"] += 1;
        if (!ok) failures += 1;
        use.total_output_chars += charsOf(details["result"]);
        const begun = id === undefined ? undefined : open.get(id);
        if (begun === undefined || id === undefined) return;
        use.total_execution_time_ms += Math.max(0, (at - begun) * 1_000);
        open.delete(id);
        return;
      }
      if (
        event_type !== "tool_allowed" &&
        event_type !== "tool_asked" &&
        event_type !== "tool_denied"
      )
        return;
      const use = useOf(tool);
      use.call_count += 1;
      use.total_input_chars += charsOf(details["args"]);
      if (typeof details["server"] === "string") use.tool_type = "mcp";
      if (event_type === "tool_denied") use.denied_count += 1;
      else if (event_type === "tool_asked") use.asked_count += 1;
      else if (id !== undefined) {
        open.set(id, at);
        const [oldest] = open.size > OPEN ? open.keys() : [];
        if (oldest !== undefined) open.delete(oldest);
      }
    },
    value() {
      const rows = [...uses].map(([name, use]) => {
        const returned = use.success_count + use.failure_count;
        const time = rounded(use.total_execution_time_ms, 2);
        const average = returned === 0 ? 0 : rounded(use.total_execution_time_ms / returned, 2);
        const tokens = (chars: number): number => Math.floor(chars / 4);
        const estimates = {
          input_tokens_est: tokens(use.total_input_chars),
          output_tokens_est: tokens(use.total_output_chars),
        };
        return [
          name,
          { ...use, total_execution_time_ms: time, avg_execution_time_ms: average, ...estimates },
        ] as const;
      });
      const sum = (field: "call_count" | "total_execution_time_ms"): number =>
        [...uses.values()].reduce((all, use) => all + use[field], 0);
      return {
        total_calls: sum("call_count"),
        total_failures: failures,
        total_execution_time_ms: rounded(sum("total_execution_time_ms"), 2),
        by_tool: objectFrom(new Map(rows)),
      };
    },
  };
}

const charsOf = (value: unknown): number =>
  value === undefined || value === null ? 0 : JSON.stringify(value).length;
