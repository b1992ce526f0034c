import { isJsonObject, type Json, type JsonObject, type Kernel } from "@bylaw/kernel";
import { problem, type Problem } from "../http/problem.ts";

/** The tools that end a turn, and their arguments. */
export interface TurnTools {
  readonly names: readonly string[];
  readonly answers: readonly string[];
  readonly votes: readonly string[];
  answer(content: string): { readonly tool: string; readonly args: JsonObject };
  vote(
    agent: string,
    reason: string | undefined,
  ): { readonly tool: string; readonly args: JsonObject };
}

const REASONS = "@bylaw/plugin-reasons";
const CONSENSUS = "@bylaw/plugin-consensus";

/** Reads the tools for answers and votes from the kernel. Throws a problem if it has none. */
export function turnTools({ plugins, declared }: Kernel): TurnTools {
  const options = plugins.find(({ plugin }) => plugin.name === REASONS)?.instances[0]?.options;
  const { workflow_tools, fields }: JsonObject = isJsonObject(options) ? options : {};
  const kinds = Object.entries(isJsonObject(workflow_tools) ? workflow_tools : {});
  const of = (kind: string): readonly string[] =>
    kinds.flatMap(([tool, does]) => (does === kind ? [tool] : []));
  const [[answer], [vote]] = [of("answer"), of("vote")];
  if (answer === undefined || vote === undefined || !declared.plugins.includes(CONSENSUS))
    throw notJudged();
  const field = (name: string, usual: string): string => {
    const given: Json | undefined = isJsonObject(fields) ? fields[name] : undefined;
    return typeof given === "string" ? given : usual;
  };
  return {
    names: kinds.map(([tool]) => tool),
    answers: of("answer"),
    votes: of("vote"),
    answer: (content) => ({ tool: answer, args: { [field("answer", "content")]: content } }),
    vote: (agent, reason) => ({
      tool: vote,
      args: {
        [field("vote", "agent_id")]: agent,
        ...(reason === undefined ? {} : { [field("reason", "reason")]: reason }),
      },
    }),
  };
}

/** The problem of a server without rules for responses, which must not accept any. */
export const notJudged = (): Problem =>
  problem({
    status: 409,
    code: "BYLAW_SERVICE_UNFIT",
    detail: "This server has no rules for responses, so it can accept none",
    fix: "Start it with `bylaw serve --consensus`, or add @bylaw/plugin-reasons and @bylaw/plugin-consensus to its configuration.",
  });

const judged = new WeakMap<Kernel, Promise<boolean>>();

/** Whether any plugin decides about responses. */
export function judgesResponses(kernel: Kernel): Promise<boolean> {
  const known = judged.get(kernel) ?? look(kernel);
  judged.set(kernel, known);
  return known;
}

const look = async (kernel: Kernel): Promise<boolean> =>
  (await kernel.explain({ hook: "onEnforcement", text: "" })).taps.length > 0;
