import { AgentError, type OpenDirective } from "@bylaw/sdk";
import { readAgents } from "../agents/agents-file.ts";
import { operatorClient, operatorError } from "../agents/operator-client.ts";
import { AgentSupervisor, type AgentOutcome } from "../agents/supervisor.ts";
import { serverAddress } from "../approve/remote.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { plain } from "../io/text.ts";
import { onInterrupt } from "../run/run-options.ts";

const OPTIONS = [
  ["--url <url>", "the address of the server (default: http://127.0.0.1:8000)"],
  ["--once", "carry out what is open now, then end"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type AgentsOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: { file: ["which program plays which role, as JSON"] },
  options: OPTIONS,
  help: `
Starts a program for each reviewer that the contract spawns, and for each agent that another one called. It needs an operator's token in
BYLAW_OPERATOR_TOKEN, which no program gets. A program reads {directive, task} as JSON from standard input. The last line that a reviewer
prints is its verdict: {"verdict":"rejected","blocking_issues":["…"],"summary":"…"}. One that fails is started again. Several supervisors share
the work and the attempts: each agent has one, and if that ends, another one takes over after "lease_seconds" (60).

Example of a file:
  {
    "max_parallel": 2,
    "agents": {
      "review": { "command": ["node", "review.mjs"], "env": ["MODEL_API_KEY"], "timeout_seconds": 900, "attempts": 3 }
    }
  }

Exit code: 0 ended by a signal, or with --once everything was carried out; 1 with --once an agent failed in every attempt; 2 usage error, or
the server refuses.

Examples:
  $ bylaw agents agents.json --url http://127.0.0.1:8000
  $ bylaw agents agents.json --once --json`,
  run: supervise,
};

/** Starts agents until a signal ends the process, or with `--once` until nothing is left to do. */
async function supervise(file: string, options: AgentsOptions): Promise<void> {
  const { url = "http://127.0.0.1:8000", once = false, json = false } = options;
  const client = operatorClient(url, "bylaw agents");
  const agents = readAgents(file);
  const stop = new AbortController();
  onInterrupt(() => stop.abort());
  const supervisor = new AgentSupervisor({
    ...{ ...agents, client, url: serverAddress(url), signal: stop.signal },
    onStart: ({ task, directive }, agent) => {
      if (!json) process.stderr.write(`${plain(`${task}: starts ${agent} (${directive})`)}\n`);
    },
    onEnd: (directive, outcome) => print(directive, outcome, json),
  });
  try {
    const left = await supervisor.run({ once });
    conclude(left > 0 && once ? 1 : 0);
  } catch (error) {
    throw error instanceof AgentError ? operatorError(error) : error;
  }
}

function print(
  { task, directive }: OpenDirective,
  { agent, reported, reason }: AgentOutcome,
  json: boolean,
): void {
  if (json) void write(jsonLine({ task, directive, agent, reported, reason }));
  else
    process.stderr.write(
      `${plain(`${task}: ${agent} ${reason === null ? "has reported" : `failed: ${reason}`}`)}\n`,
    );
}
