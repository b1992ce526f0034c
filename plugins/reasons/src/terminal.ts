import type { Json, Response } from "@bylaw/kernel";
import { type TurnEnd } from "@bylaw/consensus";
import { isBlank } from "@bylaw/wording";
import type { Calls } from "./calls.ts";
import type { ReasonsOptions } from "./options.ts";

/** The call that ends the turn: the last open call of a workflow tool, else a call of one of the client's own tools. */
export function terminalIn(
  { text = "" }: Response,
  { workflow, external }: Calls,
  { fields }: ReasonsOptions,
): TurnEnd | undefined {
  const call = workflow.findLast(({ open }) => open);
  if (call === undefined)
    return workflow.length === 0 && external[0] !== undefined
      ? { kind: "end", tool: external[0] }
      : undefined;
  const { kind, tool, args } = call;
  if (kind === "end") return { kind, tool };
  const own = (field: string): Json | undefined =>
    Object.hasOwn(args, field) ? args[field] : undefined;
  // Without content, the answer is the text of the response.
  if (kind === "answer") {
    const content = written(own(fields.answer));
    return { kind, content: content === undefined || isBlank(content) ? text.trim() : content };
  }
  return {
    kind,
    target: (written(own(fields.vote)) ?? "").trim(),
    reason: written(own(fields.reason)) ?? null,
  };
}

function written(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
