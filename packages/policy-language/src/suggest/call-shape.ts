import type { ToolCall } from "@bylaw/kernel";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";
import { CallFacts } from "../match/call-facts.ts";
import { shapeOf } from "./wide-rule.ts";

/** Calls with equal shapes differ at most in the files that they read or write. `call` is prepared. */
export const callShape = (call: ToolCall, tools: ToolTable = DEFAULT_TOOLS): string =>
  shapeOf(new CallFacts(call, tools)) ??
  JSON.stringify([call.agent, call.phase, call.tool, call.server, call.args]);
