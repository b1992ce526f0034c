import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadContract, type Contract } from "@bylaw/contract";
import { createKernel, type JsonObject } from "@bylaw/kernel";
import { openRun, type Outcome, type Run } from "@bylaw/log";
import { decideGate, gates, openGates } from "@bylaw/plugin-gates";
import { completeDirective, issueDirectives, openDirectives, phases } from "@bylaw/plugin-phases";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { temporaryFolder } from "@bylaw/testing";

const TEXT = `bylaw: 1
phases:
  - { id: A, name: a, allowed_tools: [read_files], gates: [{ id: g, type: approval, approvers: [human], quorum: 2 }] }
  - { id: B, name: b, allowed_tools: [read_files] }
transitions:
  - { from: A, to: B, gate: g, triggers: [{ action: notify_orchestrator }] }
enforcement: { mode: strict, phase_tokens: { enabled: false } }
evidence: reported
`;

/** Two hosts over one file, each with its own connection and kernel. */
async function twoHosts(): Promise<{
  readonly hosts: readonly [Run, Run];
  readonly contract: Contract;
}> {
  const folder = temporaryFolder();
  const contract = join(folder, "agent_workflow.yaml");
  writeFileSync(contract, TEXT);
  const host = async (): Promise<Run> => {
    const store = await openSqliteStore(join(folder, "store.db"));
    const kernel = createKernel({
      plugins: [
        phases({ contract, elsewhere: ["tokens"] }),
        gates({ contract, workspace: folder }),
      ],
    });
    const run = await openRun(kernel, { run: "race", store, join: true });
    onTestFinished(async () => {
      await run.close();
      await store.close();
    });
    return run;
  };
  return { hosts: [await host(), await host()], contract: loadContract(contract) };
}

const ask = (run: Run, to: string, artifacts: JsonObject = {}): Promise<Outcome> =>
  run.transition({ agent: "ann", task: "t1", to, artifacts });
const yes = (run: Run, by: string): Promise<unknown> =>
  decideGate(run, { task: "t1", gate: "g", by, role: "human", verdict: "approved" });
const settled = async (all: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(all)).map(({ status }) => status).sort();

it("of two hosts at one gate one wins each race, and no yes counts for what was not shown (WF-118, WF-119)", async () => {
  const { hosts, contract } = await twoHosts();
  const [one, other] = hosts;
  await ask(one, "A");
  await ask(one, "B", { version: 1 });
  await other.catchUp();
  const [shown] = openGates(other.view, contract);

  // The agent makes another request while somebody approves the first.
  const late = decideGate(other, {
    task: "t1",
    gate: "g",
    artifacts: shown?.artifacts ?? "",
    by: "pat",
    role: "human",
    verdict: "approved",
  });
  await Promise.allSettled([ask(one, "B", { version: 2 }), late]);
  await ask(one, "B", { version: 2 });
  await Promise.all(hosts.map((run) => run.catchUp()));
  for (const { view } of hosts)
    expect(openGates(view, contract)).toMatchObject([{ approvals: [] }]);

  // The same person at two hosts counts once.
  expect(await settled([yes(one, "pat"), yes(other, "PAT ")])).toEqual(["fulfilled", "rejected"]);
  expect((await ask(one, "B", { version: 2 })).applied).toBe("deny");
  await Promise.all(hosts.map((run) => run.catchUp()));
  await yes(other, "paul");

  // The task moves on once, and its directive is issued once and done once.
  const asked = await Promise.all(hosts.map((run) => ask(run, "B", { version: 2 })));
  expect(asked.map(({ applied }) => applied).sort()).toEqual(["allow", "deny"]);
  const issued = await Promise.all(
    hosts.map((run) => issueDirectives(run, contract, { task: "t1" })),
  );
  expect(issued.flat()).toHaveLength(1);
  await Promise.all(hosts.map((run) => run.catchUp()));
  const [directive] = openDirectives(one.view, { task: "t1" });
  const done = { task: "t1", directive: directive?.directive ?? "", ok: true };
  expect(await settled(hosts.map((run) => completeDirective(run, done)))).toEqual([
    "fulfilled",
    "rejected",
  ]);
  await other.catchUp();
  expect(openDirectives(other.view, { task: "t1" })).toEqual([]);
});
