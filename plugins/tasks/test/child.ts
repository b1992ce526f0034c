/** Works on the tasks of a run in its own process, for tests that stop it on the way. Prints each answer as a line of JSON. */
import { openRun } from "@bylaw/log";
import { createTasks } from "../src/index.ts";
import { holdOf, kernelWith, rules, summary } from "./setting.ts";

const [mode = "", place = "", schema = "", name = "ann"] = process.argv.slice(2);
const keys = [{ id: "test", env: "TASKS_TEST_SECRET" }];
// Loads only what is needed, because it starts often.
const store =
  schema === ""
    ? await (await import("@bylaw/store-sqlite")).openSqliteStore(place)
    : await (
        await import("@bylaw/store-postgres")
      ).openPostgresStore(place, { schema, connections: 3 });
const secrets = mode.startsWith("token") ? await import("@bylaw/plugin-tokens") : undefined;
const kernel = secrets === undefined ? kernelWith() : kernelWith(secrets.tokens({ keys }));
const run = await openRun(kernel, { run: "r1", store, join: true });
const tasks = createTasks(run, rules());
const say = (line: object): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve());
  });
const told = (): Promise<unknown> => new Promise((resolve) => process.stdin.once("data", resolve));
const die = async (): Promise<never> => {
  await say({ dying: true });
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
};

await say({ ready: true });
if (mode === "work") {
  await told();
  for (;;) {
    const held = await tasks.claim({ agent: name });
    if (held === undefined) break;
    await say({ claimed: held.task, fence: held.fence });
    const { applied } = await tasks.complete({ ...holdOf(held), ...summary });
    await say({ completed: held.task, applied });
  }
} else if (mode === "move") {
  await told();
  const { applied, decision, replayed } = await run.transition({
    agent: "ann",
    task: "a",
    to: "PLAN",
    artifacts: {},
  });
  await say({ applied, code: decision.code, replayed });
} else if (mode === "repeat") {
  await told();
  const { applied, replayed, events } = await run.transition({
    agent: "ann",
    task: "a",
    to: "PLAN",
    artifacts: {},
    request_id: "q1",
  });
  await say({ applied, replayed: replayed === true, sequence: events[0]?.sequence });
} else if (mode === "die-completed") {
  const held = await tasks.claim({ agent: name });
  await run.transition({ agent: name, task: held?.task ?? "", to: "@completed", ...summary });
  await die();
} else if (mode === "token-claimed" || mode === "token-granted" || mode === "token-moved") {
  const held = await tasks.claim({ agent: name, request_id: "q1" });
  if (held === undefined || secrets === undefined) throw new Error("Unexpected lack of tasks");
  if (mode === "token-claimed") await die();
  const grant = {
    task: held.task,
    agent: name,
    phase: held.phase,
    allowed_tools: ["bash"],
    fence: held.fence,
  };
  const { token } = await secrets.grantToken(run, secrets.createSigner({ keys }), grant);
  await say({ token });
  if (mode === "token-granted") await die();
  const { applied } = await run.transition({
    agent: name,
    task: held.task,
    to: "PLAN",
    artifacts: {},
    request_id: "m1",
    host: { token },
  });
  await say({ applied });
  await die();
}
await run.close();
await store.close();
process.exit(0);
