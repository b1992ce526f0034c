import type { ToolCall } from "@bylaw/kernel";
import { hit, miss } from "../rules.ts";

/** The facts that decide one call, in a form that every engine can take. */
export interface Question {
  readonly call: ToolCall;
  readonly tool: string;
  readonly server: string | undefined;
  readonly path: string | undefined;
  readonly command: string | undefined;
  readonly expected: Effect;
}
export type Effect = "allow" | "deny" | "ask_user";

/** One rule, as data, of the policy that `policyOf` in `bench/rules.ts` writes. */
export interface PeerRule {
  readonly index: number;
  readonly effect: "allow" | "deny";
  readonly kind: "exact" | "server" | "argument" | "command";
  /** The name of the tool, or of the server for a server rule, or the first words of the line for a command rule. */
  readonly name: string;
  /** For an argument rule: the fixed text before and after the free middle of `path`. */
  readonly path?: readonly [string, string];
}

const KINDS = ["exact", "server", "argument", "command"] as const;

/** The rules of a policy with `size` rules. */
export function rulesOf(size: number): readonly PeerRule[] {
  return Array.from({ length: size }, (_, index) => {
    const kind = KINDS[index % KINDS.length] ?? "exact";
    const effect = index % 2 === 0 ? ("allow" as const) : ("deny" as const);
    const names = {
      exact: `tool_${index}`,
      server: `srv${index}`,
      argument: `shared_${(index >> 2) % 16}`,
      command: `prog${index} sub`,
    };
    const path = kind === "argument" ? { path: [`/proj/p${index}/`, ".secret"] as const } : {};
    return { index, effect, kind, name: names[kind], ...path };
  });
}

const CALLS = 60;

/** A third is decided by the first twentieth of the rules, a third by the last, a third by none. A quarter are shell calls. */
export function questionsOf(size: number): readonly Question[] {
  const span = Math.max(4, Math.floor(size / 20));
  return Array.from({ length: CALLS }, (_, at) => {
    const early = at % span;
    const late = Math.min(size - 1, size - span + (at % span));
    return [question(hit(early), early), question(hit(late), late), question(miss(at), undefined)];
  }).flat();
}

function question(call: ToolCall, index: number | undefined): Question {
  const { path, command } = call.args as Readonly<Record<string, string | undefined>>;
  const expected = index === undefined ? "ask_user" : index % 2 === 0 ? "allow" : "deny";
  return { call, tool: call.tool, server: call.server, path, command, expected };
}

/** One engine with one policy. It answers with a value or a promise. */
export interface Engine {
  ask(question: Question): Effect | Promise<Effect>;
}

/** An engine to compare with. */
export interface Peer {
  readonly name: string;
  /** Features that its language lacks, and how the workload expresses them instead. */
  readonly note: string;
  build(rules: readonly PeerRule[], size: number): Promise<Engine>;
}
