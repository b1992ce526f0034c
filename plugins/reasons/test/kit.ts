import { createKernel, type Decision, type JsonObject, type Response } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { response } from "@bylaw/testing";
import { reasons } from "../src/index.ts";

export const workflow_tools = { vote: "vote", new_answer: "answer" } as const;
export type Options = Partial<Parameters<typeof reasons>[0]>;

export const vote = (agent_id: unknown, reason = "better") => ({
  tool: "vote",
  args: { agent_id, reason } as JsonObject,
});
export const answer = (content: string) => ({ tool: "new_answer", args: { content } });
export const call = (tool: string) => ({ tool, args: {} });

/** The decision of this plugin alone on a response of agent `a`. */
export async function decide(fields: Partial<Response>, options: Options = {}): Promise<Decision> {
  const kernel = createKernel({ plugins: [reasons({ workflow_tools, ...options })] });
  return kernel.decide(await kernel.prepare(response({ agent: "a", ...fields })));
}

/** The answers of others, in the form of a host without a log. */
export const answered = (consensus: JsonObject): Pick<Response, "host"> => ({
  host: { consensus },
});

export const open = (options: Options = {}): Promise<Run> =>
  openRun(createKernel({ plugins: [reasons({ workflow_tools, ...options })] }), { run: "r" });
