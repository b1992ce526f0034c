// An honest agent: it takes a task from plan to end through the client, and keeps a journal that shows whatever happened twice.
import { setTimeout as sleep } from "node:timers/promises";
import { AgentClient, Conflict, TransitionBlocked, type JsonObject } from "@bylaw/sdk";
import { CODE, HANDED, TESTS } from "../walk-artifacts.ts";

const client = AgentClient.fromEnvironment(process.env, {
  // Enough attempts to survive any number of restarts.
  retry: { attempts: 1_000, base_ms: 20, cap_ms: 250, give_up_ms: 90_000 },
});

async function enter(phase: string, artifacts: unknown): Promise<void> {
  for (;;) {
    try {
      await client.requestTransition(phase, artifacts as JsonObject);
      return;
    } catch (error) {
      if (!(error instanceof TransitionBlocked) || !error.pending) throw error;
      const [open] = await client.approvals();
      if (open === undefined) await sleep(50);
      else await client.waitForApproval(open.id);
    }
  }
}

// After a crash, nobody knows whether an action ended, so it is checked before it is repeated.
async function once(act: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
  for (;;) {
    try {
      await act();
      return;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      if (await isDone()) return;
    }
  }
}

const textOf = async (path: string): Promise<string> => {
  const read = await client.readFile(path).catch(() => "");
  return typeof read === "string" ? read : JSON.stringify(read);
};

await client.readFile("src/index.js");
await enter("TDD", HANDED.plan);
await once(
  () => client.writeFile("tests/add.test.js", TESTS),
  async () => (await textOf("tests/add.test.js")).includes("refuses text"),
);
await enter("IMPL", HANDED.tests);
for (const line of ["one", "two", "three"]) {
  await once(
    () => client.writeFile("src/journal.js", `// ${line}\n`, { mode: "a" }),
    async () => (await textOf("src/journal.js")).includes(line),
  );
}
await once(
  () => client.writeFile("src/add.js", CODE),
  async () => (await textOf("src/add.js")).includes("return one + other"),
);
await enter("REVIEW", HANDED.code);
while ((await client.directives()).length > 0) await sleep(50);
await enter("COMPLETE", HANDED.review());
const shows = async (command: string, text: string): Promise<boolean> =>
  JSON.stringify(await client.runCommand(command)).includes(text);
await once(
  () => client.runCommand("git add src/add.js src/journal.js tests/add.test.js"),
  () => shows("git status --short", "A  src/add.js"),
);
await once(
  () => client.runCommand("git commit -m 'Add two numbers'"),
  () => shows("git log -1 --format=%s", "Add two numbers"),
);
await client.completeTask(HANDED.done as unknown as JsonObject);
client.close();
