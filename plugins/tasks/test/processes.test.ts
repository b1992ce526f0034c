import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openRun } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { createSigner, grantToken, tokens } from "@bylaw/plugin-tokens";
import { openPostgresStore } from "@bylaw/store-postgres";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { printedLines, startPostgres, temporaryFolder, type PrintedLines } from "@bylaw/testing";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTasks } from "../src/index.ts";
import { took } from "./kit.ts";
import { holdOf, kernelWith, rules, summary, upTo } from "./setting.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
process.env["TASKS_TEST_SECRET"] = SECRET;
const keys = [{ id: "test", env: "TASKS_TEST_SECRET" }];
const server = await startPostgres();
afterAll(async () => server?.stop());

interface Child extends PrintedLines<Record<string, unknown>> {
  readonly tell: () => void;
}

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

function start(mode: string, where: readonly [place: string, schema: string], name = "ann"): Child {
  const script = fileURLToPath(new URL("child.ts", import.meta.url));
  const child = spawn(process.execPath, [script, mode, ...where, name], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.add(child);
  return {
    ...printedLines(child, (line) => JSON.parse(line) as Record<string, unknown>),
    tell: () => void child.stdin.write("go\n"),
  };
}

const ENGINES = ["SQLite", ...(server === undefined ? [] : ["PostgreSQL"])];

describe.each(ENGINES)("processes that work on one run's tasks in %s", (engine) => {
  let folder: string;
  let where: readonly [string, string];
  let stores: Store[];
  beforeEach(() => {
    folder = temporaryFolder();
    where =
      engine === "SQLite"
        ? [join(folder, "store.db"), ""]
        : [server?.url ?? "", `p_${String(process.pid)}_${folder.slice(-6).toLowerCase()}`];
    stores = [];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  async function open(kernel = kernelWith()) {
    const [place, schema] = where;
    const store =
      schema === ""
        ? await openSqliteStore(place)
        : await openPostgresStore(place, { schema, connections: 3 });
    stores.push(store);
    const run = await openRun(kernel, { run: "r1", store, join: true });
    return { store, run, tasks: createTasks(run, rules()) };
  }
  const events = async (store: Store) => store.events("r1", 0, 100_000);

  it("do every task once, and none before its dependencies", async () => {
    const { store, tasks } = await open();
    for (const n of upTo(24))
      await tasks.create({ id: `t${n}`, dependencies: n > 4 ? [`t${n - 4}`] : [] });
    const workers = upTo(4).map((n) => start("work", where, `w${n}`));
    await Promise.all(workers.map(({ said }) => said(({ ready }) => ready === true)));
    for (const { tell } of workers) tell();
    await Promise.all(workers.map(({ ended }) => ended));
    // Processes that found nothing free have exited; the rest are tasks that were waiting then.
    for (
      let held = await tasks.claim({ agent: "me" });
      held !== undefined;
      held = await tasks.claim({ agent: "me" })
    ) {
      await tasks.complete({ ...holdOf(held), ...summary });
    }
    const log = await events(store);
    const of = (type: string) =>
      log.filter(({ event_type }) => event_type === type).map(({ task_id }) => task_id);
    for (const type of ["task_claimed", "phase_entered", "task_finished"])
      expect([type, of(type).length, new Set(of(type)).size]).toEqual([type, 24, 24]);
    for (const n of upTo(20)) {
      const at = (type: string, id: string) =>
        log.find(({ event_type, task_id }) => event_type === type && task_id === id)?.sequence ?? 0;
      expect(at("phase_entered", `t${n}`)).toBeLessThan(at("task_claimed", `t${n + 4}`));
    }
    const claimed = workers.flatMap(({ lines }) =>
      lines.flatMap((line) => (line["claimed"] === undefined ? [] : [line["claimed"]])),
    );
    expect(new Set(claimed).size).toBe(claimed.length);
  });

  it("that request one transition at once: one makes it, the other is decided again (WF-115)", async () => {
    const one = await open();
    await one.tasks.create({ id: "a" });
    await took(one, "ann");
    const both = upTo(2).map(() => start("move", where));
    await Promise.all(both.map(({ said }) => said(({ ready }) => ready === true)));
    for (const { tell } of both) tell();
    const answers = await Promise.all(
      both.map(({ said }) => said(({ applied }) => applied !== undefined)),
    );
    expect(answers.map(({ applied }) => String(applied)).toSorted()).toEqual(["allow", "deny"]);
    expect((await events(one.store)).map(({ event_type }) => event_type).slice(-2)).toEqual([
      "phase_entered",
      "transition_blocked",
    ]);
  });

  it("that make the same request at once get the same answer, which is recorded once (WF-114)", async () => {
    const one = await open();
    await one.tasks.create({ id: "a" });
    await took(one, "ann");
    const all = upTo(3).map(() => start("repeat", where));
    await Promise.all(all.map(({ said }) => said(({ ready }) => ready === true)));
    for (const { tell } of all) tell();
    const answers = await Promise.all(
      all.map(({ said }) => said(({ applied }) => applied !== undefined)),
    );
    expect(answers.map(({ applied }) => applied)).toEqual(["allow", "allow", "allow"]);
    expect(answers.filter(({ replayed }) => replayed === false)).toHaveLength(1);
    expect(new Set(answers.map(({ sequence }) => sequence)).size).toBe(1);
    // Also for a process that was not running at the time.
    expect(
      await one.run.transition({
        agent: "ann",
        task: "a",
        to: "PLAN",
        artifacts: {},
        request_id: "q1",
      }),
    ).toMatchObject({ applied: "allow", replayed: true });
    expect(
      (await events(one.store)).filter(({ event_type }) => event_type === "phase_entered"),
    ).toHaveLength(1);
  });

  it("that die between the completion and telling the store leave nothing half done (WF-116)", async () => {
    const one = await open();
    await one.tasks.create({ id: "a" });
    await one.tasks.create({ id: "b", dependencies: ["a"] });
    const child = start("die-completed", where);
    await child.said(({ dying }) => dying === true);
    await child.ended;
    expect((await took(one, "bob")).task).toBe("b");
    expect((await events(one.store)).map(({ event_type }) => event_type).slice(-3)).toEqual([
      "phase_entered",
      "task_finished",
      "task_claimed",
    ]);
  });

  it("that die around a token leave a claim that continues, and one valid token (WF-116)", async () => {
    const one = await open(kernelWith(tokens({ keys })));
    const signer = createSigner({ keys });
    await one.tasks.create({ id: "a" });
    const call = async (token: unknown) =>
      (
        await one.run.toolCall({
          agent: "ann",
          task: "a",
          tool: "bash",
          args: {},
          host: { token: token as string },
        })
      ).decision.code;
    const ended = async (mode: string): Promise<Child> => {
      const child = start(mode, where);
      await child.said(({ dying }) => dying === true);
      await child.ended;
      return child;
    };
    const again = () => took(one, "ann", { request_id: "q1" });
    const grant = async () => {
      const { phase, fence } = await again();
      return (
        await grantToken(one.run, signer, {
          task: "a",
          agent: "ann",
          phase,
          allowed_tools: ["bash"],
          fence,
        })
      ).token;
    };

    // Before the token was issued: the claim exists, and the token is requested again.
    await ended("token-claimed");
    expect(await call(await grant())).toBe("rule_allowed");
    // After it was recorded, and before the agent had it: a new one replaces it.
    const granted = await ended("token-granted");
    const lost = granted.lines.find((line) => line["token"] !== undefined)?.["token"];
    expect(await call(lost)).toBe("rule_allowed");
    const found = await grant();
    expect([await call(lost), await call(found)]).toEqual(["token_superseded", "rule_allowed"]);
    // After the task moved on, and before the token of the new phase was issued: the old one is void, and the request is answered
    // again.
    const moved = await ended("token-moved");
    const old = moved.lines.find((line) => line["token"] !== undefined)?.["token"] as string;
    expect(await call(old)).toBe("token_superseded");
    const request = {
      agent: "ann",
      task: "a",
      to: "PLAN",
      artifacts: {},
      request_id: "m1",
      host: { token: old },
    };
    expect(await one.run.transition(request)).toMatchObject({ applied: "allow", replayed: true });
    expect((await again()).phase).toBe("PLAN");
    expect(await call(await grant())).toBe("rule_allowed");
    // Only a caller with the token of that time gets this answer.
    for (const host of [{ token: found }, {}, { token: `${old}x` }]) {
      expect((await one.run.transition({ ...request, host })).applied).toBe("deny");
    }
    const log = await events(one.store);
    const count = (type: string) => log.filter(({ event_type }) => event_type === type).length;
    expect([count("task_claimed"), count("phase_entered")]).toEqual([1, 1]);
  });
});
