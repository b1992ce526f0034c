// Agents over HTTP that hold one task each.
import { ENROL, OPERATOR } from "./servers.ts";

/** An agent with a task, and its token. */
export interface Agent {
  readonly name: string;
  readonly task: string;
  readonly authorization: string;
}

/** How many tasks one request creates. */
const AT_ONCE = 500;

export async function ask(
  url: string,
  path: string,
  authorization: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

export const asOperator = `Bearer ${OPERATOR}`;

/** Creates tasks with these names. */
export async function createTasks(url: string, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += AT_ONCE)
    await ask(url, "/tasks", asOperator, {
      tasks: names.slice(at, at + AT_ONCE).map((id) => ({ id })),
    });
}

/** Creates `count` tasks, has a separate agent claim each, and enters the first phase. */
export async function agentsOf(
  url: string,
  count: number,
  prefix: string,
  phase: string,
): Promise<readonly Agent[]> {
  const tasks = Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
  await createTasks(url, tasks);
  const agents: Agent[] = [];
  for (const task of tasks) {
    const name = `agent-of-${task}`;
    const claimed = await ask(url, "/tasks/claim", `Bylaw-Enrol ${ENROL}`, {
      agent_id: name,
      task_id: task,
    });
    let token = String(claimed["phase_token"]);
    if (claimed["phase"] !== phase)
      token = await move(url, { name, task, authorization: `Bearer ${token}` }, phase, {});
    agents.push({ name, task, authorization: `Bearer ${token}` });
  }
  return agents;
}

/** Moves a task to another phase and resolves to the new token. Throws if a gate blocks the transition. */
export async function move(
  url: string,
  { task, authorization }: Agent,
  to: string,
  artifacts: object,
): Promise<string> {
  const answer = await ask(url, "/tasks/transition", authorization, {
    task_id: task,
    target_phase: to,
    artifacts,
  });
  if (answer["allowed"] !== true)
    throw new Error(`A gate blocked ${to}: ${JSON.stringify(answer["blockers"])}`);
  return String(answer["new_token"]);
}
