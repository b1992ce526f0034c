import { request } from "node:http";
import { ENROL } from "../e2e/orchestrator-kit.ts";
import { rawRequest, sendRaw } from "../e2e/orchestrator-raw.ts";
import type { Traffic } from "./traffic.ts";

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = {
  sub: "agent-0",
  task_id: "task-1",
  phase: "BUILD",
  exp: 4_000_000_000,
  jti: "forged",
};
const FORGED = `${encode({ alg: "HS256", typ: "JWT", kid: "1" })}.${encode(claims)}.${"A".repeat(43)}`;
const UNSIGNED = `${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.`;
const CALL = { task_id: "task-1", tool_name: "bash", args: { command: "echo forbidden" } };
const CLAIM = JSON.stringify({ agent_id: "nobody" });

interface Bad {
  readonly path: string;
  readonly authorization?: string;
  readonly type?: string;
  readonly body?: string;
}

const BAD: readonly Bad[] = [
  { path: "/tools/execute", authorization: `Bearer ${FORGED}`, body: JSON.stringify(CALL) },
  { path: "/tools/execute", authorization: `Bearer ${UNSIGNED}`, body: JSON.stringify(CALL) },
  { path: "/tools/execute", body: JSON.stringify({ ...CALL, phase_token: FORGED }) },
  { path: "/tasks/claim", authorization: `Bylaw-Enrol ${ENROL.slice(0, -1)}x`, body: CLAIM },
  { path: "/tasks/claim", authorization: `Bylaw-Enrol ${ENROL}`, body: '{"agent_id":"nobody"' },
  {
    path: "/tasks/claim",
    authorization: `Bylaw-Enrol ${ENROL}`,
    body: '{"agent_id":"nobody","agent_id":"operator"}',
  },
  { path: "/tasks/claim", authorization: `Bylaw-Enrol ${ENROL}`, body: CLAIM, type: "text/plain" },
  { path: "/tasks", authorization: `Bylaw-Enrol ${ENROL}`, body: '{"id":"forbidden-task"}' },
  {
    path: "/approvals/0123456789abcdef",
    authorization: `Bearer ${FORGED}`,
    body: '{"answer":"yes","role":"human"}',
  },
  { path: `/tasks/claim?token=${FORGED}`, body: CLAIM },
  { path: "/nothing", authorization: `Bylaw-Enrol ${ENROL}`, body: "{}" },
];

/** Sends a request that must be refused. Resolves to its status, which is 0 if the server closed the connection instead. */
export async function sendBad(kind: number, endpoint: string, traffic: Traffic): Promise<number> {
  const bad = BAD[kind % (BAD.length + 2)];
  const { port } = new URL(endpoint);
  if (bad === undefined)
    return kind % 2 === 0
      ? sendLarge(Number(port))
      : (await sendRaw(Number(port), SMUGGLED)).status;
  const { path, authorization, type = "application/json", body = "" } = bad;
  const headers = {
    "content-type": type,
    ...(authorization === undefined ? {} : { authorization }),
  };
  const response = await traffic.fetch(`${endpoint}/api/v1${path}`, {
    method: "POST",
    headers,
    body,
    signal: AbortSignal.timeout(30_000),
  });
  await response.arrayBuffer();
  return response.status;
}

// Two lengths, which two readers may understand differently.
const SMUGGLED = rawRequest({
  path: "/api/v1/tasks/claim",
  headers: ["Content-Length: 3", "Transfer-Encoding: chunked"],
  body: "0\r\n\r\n",
});

/** Twice the largest body. Not by `fetch`, which reports an answer before the end of the body as a broken connection. */
function sendLarge(port: number): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" };
    const large = request(
      {
        host: "127.0.0.1",
        port,
        path: "/api/v1/tasks/claim",
        method: "POST",
        headers,
        timeout: 30_000,
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    large.on("timeout", () => large.destroy()).on("error", () => resolve(0));
    large.end(JSON.stringify({ agent_id: "x".repeat(2 ** 21) }));
  });
}
