import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError, messageOf } from "@bylaw/kernel";
import { isServiceSecret } from "@bylaw/sdk";
import { describeIssues } from "@bylaw/wording";
import { z } from "zod";

const word = z.string().min(1).max(4_096);
const program = z.strictObject({
  command: z.array(z.string().max(4_096)).min(1).max(256),
  cwd: word.optional(),
  env: z
    .array(z.string().regex(/^[A-Za-z_]\w{0,255}$/))
    .max(256)
    .default([]),
  timeout_seconds: z.number().positive().max(86_400).default(900),
  attempts: z.int().min(1).max(100).default(3),
});
const schema = z.strictObject({
  max_parallel: z.int().min(1).max(64).default(2),
  lease_seconds: z.int().min(1).max(600).default(60),
  agents: z.record(z.string().min(1).max(256), program),
});

/** The program that plays a role. */
export interface AgentProgram extends z.output<typeof program> {
  /** The working directory, as an absolute path. */
  readonly cwd: string;
}

/** The programs to start, by role: an `agent_type` of the contract, or the name of an agent that another agent calls. */
export interface AgentsFile {
  readonly max_parallel: number;
  /** Seconds without a renewal after which another supervisor may take over a directive. */
  readonly lease_seconds: number;
  readonly agents: ReadonlyMap<string, AgentProgram>;
}

/** Reads an agents file. Programs run in the folder of the file unless it says otherwise. Throws BYLAW_AGENTS_INVALID. */
export function readAgents(file: string): AgentsFile {
  let given;
  try {
    given = parseJson(readFileSync(file, "utf8"));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isBylawError(error) ? error.message : messageOf(error);
    throw invalid(file, missing ? `File not found: ${file}` : why);
  }
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw invalid(file, describeIssues(parsed.error, "the file"));
  const { agents, ...limits } = parsed.data;
  const secret = Object.values(agents)
    .flatMap(({ env }) => env)
    .find(isServiceSecret);
  if (secret !== undefined)
    throw invalid(
      file,
      `\`env\` names ${secret}, which is a secret of the server. No agent may have it.`,
    );
  const folder = dirname(resolve(file));
  const placed = Object.entries(agents).map(
    ([role, one]) => [role, { ...one, cwd: resolve(folder, one.cwd ?? ".") }] as const,
  );
  return { ...limits, agents: new Map(placed) };
}

const invalid = (file: string, message: string): BylawError =>
  new BylawError({
    code: "BYLAW_AGENTS_INVALID",
    message,
    fix: "See `bylaw agents --help` for an example",
    source: { file },
  });
