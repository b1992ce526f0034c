import { isJsonObject, type Json, type JsonObject, type Response } from "@bylaw/kernel";
import type { ReasonsOptions } from "./options.ts";

interface WorkflowCall {
  readonly tool: string;
  readonly kind: "answer" | "vote" | "end";
  readonly args: JsonObject;
  /** Whether the tool may be called in this round. */
  readonly open: boolean;
}

export interface Calls {
  readonly workflow: readonly WorkflowCall[];
  readonly external: readonly string[];
  /** Names of existing tools that end no turn, and of tools that do not exist: each once, as the model wrote them. */
  readonly ordinary: readonly string[];
  readonly unknown: readonly string[];
}

/** Classifies the calls of a response. Nothing is unknown if the host does not list the available tools. */
export function callsOf(
  { tool_calls = [], available_tools }: Response,
  options: ReasonsOptions,
): Calls {
  const { workflow_tools, external_tools } = options;
  const available = available_tools === undefined ? undefined : new Set(available_tools);
  const isWorkflow = (name: string): boolean => Object.hasOwn(workflow_tools, name);
  const isKnown = (name: string): boolean =>
    isWorkflow(name) || external_tools.includes(name) || available?.has(name) === true;
  const isOpen = openTools(available_tools, options);
  const workflow: WorkflowCall[] = [];
  const [external, ordinary, unknown] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { tool: written, args } of tool_calls) {
    const tool = isKnown(written) ? written : meant(written, options.prefixes, isKnown);
    const kind = isWorkflow(tool) ? workflow_tools[tool] : undefined;
    if (kind !== undefined) workflow.push({ tool, kind, args: objectIn(args), open: isOpen(tool) });
    else if (external_tools.includes(tool)) external.add(tool);
    else if (available === undefined || available.has(tool)) ordinary.add(tool);
    else unknown.add(written);
  }
  return { workflow, external: [...external], ordinary: [...ordinary], unknown: [...unknown] };
}

function meant(
  written: string,
  prefixes: readonly string[],
  isKnown: (name: string) => boolean,
): string {
  const rests = prefixes.flatMap((prefix) =>
    written.startsWith(prefix) ? [written.slice(prefix.length)] : [],
  );
  return rests.find(isKnown) ?? written;
}

/** The workflow tools that may be called. If a host lists none of them among the available tools, all are open. */
export function openTools(
  available: readonly string[] | undefined,
  { workflow_tools }: ReasonsOptions,
): (tool: string) => boolean {
  if (available === undefined || !available.some((tool) => Object.hasOwn(workflow_tools, tool)))
    return () => true;
  return (tool) => available.includes(tool);
}

// Some hosts pass on the arguments as the model's raw text.
function objectIn(args: Json | undefined): JsonObject {
  if (isJsonObject(args)) return args;
  if (typeof args !== "string") return {};
  try {
    const parsed: unknown = JSON.parse(args);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
