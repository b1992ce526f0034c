import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import { startPostgres } from "@bylaw/testing";
import { expect, it, onTestFinished } from "vitest";
import { bylaw, bylawHere, json, jsonLines, scratch, start } from "./bylaw.ts";

const TOKEN = "the token of ada, which is long enough";
const STEPS = [
  { id: "plan", run: { command: ["sh", "step.sh"] } },
  { id: "code", run: { command: ["sh", "step.sh"] } },
  { id: "last", run: { command: ["sh", "step.sh"] } },
];
const TEMPLATE = JSON.stringify({ bylaw: 1, name: "w", steps: STEPS });
const NOTE = 'echo "$BYLAW_STEP $BYLAW_ATTEMPT" >> ran.txt\n';

/** The folder of one machine. Machines share only the store. */
function machine(step = NOTE): string {
  const operators = {
    operators: [
      { name: "ada", token: `sha256:${createHash("sha256").update(TOKEN).digest("hex")}` },
    ],
  };
  const folder = scratch({ "step.sh": step, ".bylaw/operators.json": JSON.stringify(operators) });
  mkdirSync(join(folder, "templates"));
  writeFileSync(join(folder, "templates/w.json"), TEMPLATE);
  return folder;
}

const ranIn = (folder: string): readonly string[] =>
  existsSync(join(folder, "ran.txt"))
    ? readFileSync(join(folder, "ran.txt"), "utf8").trim().split("\n")
    : [];

const eventsOf = async (store: string, cwd: string): Promise<readonly Record<string, unknown>[]> =>
  jsonLines(await bylawHere(["log", "query", "--store", store, "--run", "w", "--json"], { cwd }));
const typesOf = async (store: string, cwd: string): Promise<readonly unknown[]> =>
  (await eventsOf(store, cwd)).map(({ event_type }) => event_type);

/** A worker in a folder, and a promise for each text that it prints. */
function worker(
  folder: string,
  store: string,
): { readonly child: ChildProcess; readonly said: (text: string) => Promise<void> } {
  const child = start(["run", "--worker", "--store", store, "--lease", "1"], folder);
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  const waiting = new Set<() => void>();
  child.stderr?.on("data", (chunk: Uint8Array) => {
    text += String(chunk);
    for (const look of waiting) look();
  });
  const said = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (text.includes(wanted) && resolve());
      waiting.add(look);
      look();
    });
  return { child, said };
}

it("without workers, the command itself drives a run that workers may drive", async () => {
  const [cwd, store] = [machine(), join(scratch(), "store.db")];
  const ran = await bylawHere(["run", "w", "--driver", "embedded", "--store", store, "--json"], {
    cwd,
  });
  expect([ran.code, json(ran)["outcome"]]).toEqual([0, "completed"]);
  expect(ranIn(cwd)).toEqual(["plan 1", "code 1", "last 1"]);
  expect(
    (await typesOf(store, cwd)).filter((type) => String(type).startsWith("workflow_")),
  ).toEqual([
    ...[
      "workflow_started",
      "workflow_offered",
      "workflow_taken",
      "workflow_ended",
      "workflow_left",
    ],
  ]);
});

it("a worker on another machine continues a run whose process died, and no completed step runs again", async () => {
  const dying = machine(`${NOTE}if [ "$BYLAW_STEP" = code ]; then kill -9 $PPID; sleep 1; fi\n`);
  const [other, store] = [machine(), join(scratch(), "store.db")];
  const args = ["run", "w", "--driver", "embedded", "--store", store, "--lease", "1"];
  expect(bylaw(args, { cwd: dying }).code).toBeNull();
  const { child, said } = worker(other, store);
  await said("w: completed");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect([ranIn(dying), ranIn(other)]).toEqual([
    ["plan 1", "code 1"],
    ["code 2", "last 1"],
  ]);
  // A later request for it reports how it ended, and nothing runs.
  expect(
    json(
      await bylawHere(["run", "w", "--run", "w", "--resume", "--store", store, "--json"], {
        cwd: dying,
      }),
    )["outcome"],
  ).toBe("completed");
});

it("a worker leaves runs alone that were not offered, and continues what a person releases", async () => {
  const pause = `${NOTE}if [ "$BYLAW_STEP" = plan ]; then echo '{"action":"checkpoint"}' > "$BYLAW_CONTROL_FILE"; fi\n`;
  const [cwd, other, store] = [machine(pause), machine(), join(scratch(), "store.db")];
  expect((await bylawHere(["run", "w", "--run", "plain", "--store", store], { cwd })).code).toBe(3);
  expect(
    (await bylawHere(["run", "w", "--driver", "embedded", "--store", store], { cwd })).code,
  ).toBe(3);
  const { said } = worker(other, store);
  await said("1 template");
  const resume = (run: string) =>
    bylawHere(["run", "w", "--run", run, "--resume", "--by", "ada", "--store", store, "--json"], {
      cwd,
      env: { BYLAW_OPERATOR_TOKEN: TOKEN },
    });
  // Either may be faster: neither repeats a step of the other.
  expect(json(await resume("w"))["outcome"]).toBe("completed");
  expect([...ranIn(cwd), ...ranIn(other)].toSorted()).toEqual([
    "code 1",
    "last 1",
    "plan 1",
    "plan 1",
  ]);
  expect(json(await resume("plain"))["outcome"]).toBe("completed");
  expect((await typesOf(store, cwd)).filter((type) => type === "step_completed")).toHaveLength(3);
});

it("DBOS drives a run of the built command, next to the store in one database", async ({
  skip,
}) => {
  const server = await startPostgres();
  if (server === undefined) return skip("there is no server");
  onTestFinished(() => server.stop());
  const cwd = machine();
  const store = `${server.url}?schema=t_${randomBytes(6).toString("hex")}`;
  const ran = await bylawHere(["run", "w", "--driver", "dbos", "--store", store, "--json"], {
    cwd,
  });
  expect([ran.code, ran.stderr, json(ran)["outcome"]]).toEqual([0, "", "completed"]);
  expect(ranIn(cwd)).toEqual(["plan 1", "code 1", "last 1"]);
  expect(await typesOf(store, cwd)).toContain("workflow_left");
});

it("a worker takes no run and no --resume, and a driver must be known and fit the store", async () => {
  const cwd = machine();
  const refused = async (...args: readonly string[]): Promise<string> => {
    const ran = await bylawHere(["run", ...args], { cwd });
    expect(ran.code).toBe(2);
    return ran.stderr;
  };
  expect(await refused()).toContain("`<template>` is missing");
  expect(await refused("--worker", "--resume")).toContain(
    "`--resume` cannot be given with `--worker`",
  );
  expect(await refused("w", "--driver", "cron")).toContain(
    "`--driver` must be embedded, dbos or restate",
  );
  expect(await refused("w", "--driver", "dbos")).toContain("needs a store in PostgreSQL");
});
