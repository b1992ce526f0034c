import { parseJson } from "@bylaw/config";
import {
  BylawError,
  canonicalJson,
  isJsonObject,
  STRICTNESS,
  type Decision,
  type Kernel,
  type ToolCall,
} from "@bylaw/kernel";
import type { AskOptions } from "@bylaw/log";
import { isAllowedByRule } from "@bylaw/log/allowed-by-rule";

/** The decision that a run recorded about a call of one of its steps. */
export interface RunAnswer {
  readonly decision: Decision;
  /** The command with which a person answers, if the decision is a question. */
  readonly answer_with: string;
}

/**
 * Decides a call by a kernel. In a step of `bylaw run` it also asks the run; the stricter decision counts. `offered`: the call is offered
 * instead of another one, so the run is not asked about it if no rule of the kernel allows it.
 */
export async function decideHere(
  kernel: Kernel,
  call: ToolCall,
  { offered = false }: Pick<AskOptions, "offered"> = {},
): Promise<Decision> {
  const own = await kernel.decidePrepared(await kernel.prepare(call));
  if (offered && !isAllowedByRule(own)) return own;
  const answer = await askRun(call, { left_to_host: own.applied === "allow" });
  return answer === undefined ? own : stricter(own, answer.decision);
}

/**
 * Puts a call on record in the run of its step if the run has no rule for it and its own policy lets it run. Returns the stricter of
 * both decisions.
 */
export async function leaveToHost(
  call: ToolCall,
  own: Decision,
  asked: RunAnswer | undefined,
): Promise<Decision> {
  if (asked === undefined) return own;
  const isLeft = isSilent(asked.decision) && own.applied === "allow";
  const answer = isLeft ? await askRun(call, { left_to_host: true }) : asked;
  return stricter(own, (answer ?? asked).decision);
}

/** Whether this process works in a step of `bylaw run` that has an agent. */
export const isInStep = (): boolean =>
  `${process.env["BYLAW_MCP_URL"] ?? ""}${process.env["BYLAW_MCP_KEY"] ?? ""}` !== "";

/**
 * Asks the run of the step that this process works in. `left_to_host` says that the call runs if the run has no rule for it. Returns
 * undefined outside a step with an agent. Throws BYLAW_RUN_UNREACHABLE
 * if the run does not answer, because its rules must not be skipped.
 */
export async function askRun(
  call: ToolCall,
  { left_to_host = false }: { readonly left_to_host?: boolean } = {},
): Promise<RunAnswer | undefined> {
  const { BYLAW_MCP_URL: url = "", BYLAW_MCP_KEY: key = "" } = process.env;
  if (!isInStep()) return undefined;
  try {
    const answer = parseJson(
      await post(new URL("/calls", url), key, JSON.stringify({ call, left_to_host })),
    );
    if (isJsonObject(answer) && isJsonObject(answer["decision"]))
      return answer as unknown as RunAnswer;
    throw new Error("It did not answer with a decision");
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_RUN_UNREACHABLE",
      message: "The run of this step could not judge the call",
      fix: "Ask from a program that the step started, while the step lasts",
      cause,
    });
  }
}

/** Whether a run has no rule for a call and does not deny by default. */
export const isSilent = ({ code, applied }: Decision): boolean =>
  code === "fallback" && applied !== "deny";

/** The stricter of two decisions. If the run is silent, the first decision counts. An offer counts only if both make it. */
export function stricter(own: Decision, run: Decision): Decision {
  if (isSilent(run)) return own;
  const difference = STRICTNESS[run.applied] - STRICTNESS[own.applied];
  if (difference > 0) return run;
  const agree = canonicalJson(own.instead ?? null) === canonicalJson(run.instead ?? null);
  return difference < 0 || agree ? own : { ...own, instead: undefined };
}

async function post(url: URL, key: string, body: string): Promise<string> {
  // Loaded on demand, because most calls are checked outside a step.
  const { request } = await import("node:http");
  return await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const asked = request(url, { method: "POST", headers, timeout: 8_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString("utf8"));
        else reject(new Error(`It answered with status ${response.statusCode}`));
      });
    });
    asked.once("timeout", () => asked.destroy(new Error("It did not answer in time")));
    asked.once("error", reject);
    asked.end(body);
  });
}
