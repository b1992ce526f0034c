import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEventLine } from "@bylaw/log";
import { describe, expect, test } from "vitest";
import { BIN, bylawHere, json, type Ran } from "./bylaw.ts";
import { atTerminal } from "./terminal.ts";
import { CONTRACT, OPERATORS, TOKENS, planOf, project, type Project } from "./approve-kit.ts";

const PLAN = planOf("It greets by name");

/** The id of the only pending approval. */
async function onlyOne({ list }: Project): Promise<string> {
  const [first, ...more] = await list();
  expect(more).toEqual([]);
  return String(first?.["id"]);
}

const refused = (ran: Ran, message: RegExp): void => {
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 1, stdout: "" });
  expect(ran.stderr).toMatch(message);
};

const count = async ({ store }: Project): Promise<number> =>
  (await store.events("main", 0, 1_000)).length;

describe("a gate that waits for a person", () => {
  test("is listed, shown and opened by a yes, and the agent's next try passes in the same session", async () => {
    const here = await project();
    expect(await here.list()).toEqual([]);
    expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "deny", code: "gate_pending" });
    const id = await onlyOne(here);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(await here.list()).toMatchObject([
      { kind: "gate", task: "T1", gate: "plan_approval", agent: "dev-1", quorum: 1, content: PLAN },
    ]);
    const shown = await here.approve(["show", id]);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain('"criterion": "It greets by name"');
    const before = await count(here);
    const ran = await here.approve(["yes", id, "--as", "lead", "--json"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(json(ran)).toMatchObject({
      event_type: "gate_decided",
      session_id: here.run.session,
      agent_id: null,
      details: { by: "ada", role: "lead", verdict: "approved" },
    });
    expect(await count(here)).toBe(before + 1);
    expect(await here.list()).toMatchObject([{ approvals: [{ by: "ada" }] }]);
    expect((await here.approve(["list"])).stdout).toContain(
      "1 of 1 yes, waits for the agent to ask again",
    );
    expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "allow" });
    expect(await here.list()).toEqual([]);
  });

  test("takes a yes only for what was shown", async () => {
    const here = await project();
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    const other = planOf("It does something else");
    expect(await here.move("BUILD", other)).toMatchObject({ code: "gate_pending" });
    refused(
      await here.approve(["yes", id, "--as", "lead"]),
      /^error BYLAW_APPROVAL_MISSING: No open question has the id/,
    );
    const next = await onlyOne(here);
    expect(next).not.toBe(id);
    const shown = (await here.approve(["show", next])).stdout;
    expect(shown).toContain("1 change since the last time this was asked");
    expect(shown).toContain("~ plan_document.acceptance_criteria.0.criterion");
    expect(await here.approve(["yes", next, "--as", "human"])).toMatchObject({ code: 0 });
    // A yes does not cover anything else.
    expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "deny" });
    expect(await here.move("BUILD", planOf("Something third"))).toMatchObject({ effect: "deny" });
  });

  test("shows the pending request, even if another request claims something about it", async () => {
    const here = await project();
    const evil = planOf("It sends the keys away");
    await here.move("BUILD", evil);
    const [{ artifacts } = {}] = await here.list();
    // A later request whose refusal quotes the digest of the pending one.
    await here.move("BUILD", {
      plan_document: { acceptance_criteria: [], [String(artifacts)]: String(artifacts) },
      [String(artifacts)]: 1,
    });
    for (const one of (await here.list()).filter((open) => open["artifacts"] === artifacts))
      expect(one["content"]).toEqual(evil);
    expect((await here.approve(["list"])).stdout).toContain("plan_approval");
  });

  test("shows the pending request, however often the agent asks for something else", async () => {
    const here = await project();
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    for (let index = 0; index < 60; index += 1)
      await here.move("BUILD", { plan_document: { acceptance_criteria: [], index } });
    expect(await onlyOne(here)).toBe(id);
    expect(await here.list()).toMatchObject([{ content: PLAN }]);
    expect(await here.approve(["yes", id, "--as", "lead"])).toMatchObject({ code: 0 });
    expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "allow" });
  });

  test("refuses a yes from somebody who worked on the task, from an agent, from another role, given twice, or under a name that is not the operator's", async () => {
    const names = ["dev-1", " DEV-1\u200b", "watcher"].map((name, index) => ({
      name,
      roles: ["human"],
      token: `${index} and more than thirty-two signs`,
    }));
    const { createHash } = await import("node:crypto");
    const operators = names.map(({ token, ...one }) => ({
      ...one,
      token: `sha256:${createHash("sha256").update(token).digest("hex")}`,
    }));
    const listed = JSON.parse(OPERATORS) as { operators: readonly object[] };
    const here = await project({
      ".bylaw/operators.json": JSON.stringify({ operators: [...listed.operators, ...operators] }),
    });
    await here.run.toolCall({ agent: "watcher", task: "T2", tool: "read_files", args: {} });
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    for (const { token } of names)
      refused(
        await here.approve(["yes", id], token),
        /^error BYLAW_APPROVAL_UNAUTHORIZED: .* is an agent of this run/,
      );
    refused(
      await here.approve(["yes", id, "--as", "human"], TOKENS.ci),
      /^error BYLAW_APPROVAL_UNAUTHORIZED: `ci` does not have the role `human`/,
    );
    refused(
      await here.approve(["yes", id, "--by", "bob", "--as", "lead"]),
      /^error BYLAW_APPROVAL_UNAUTHORIZED: The token belongs to `ada`, not to `bob`/,
    );
    expect(await here.approve(["yes", id, "--as", "lead"])).toMatchObject({ code: 0 });
    refused(await here.approve(["yes", id, "--as", "human"]), /^error BYLAW_EVENT_REFUSED: /);
  });

  test("needs the stated number of people, and a no opens the way back", async () => {
    const here = await project();
    await here.move("BUILD", PLAN);
    await here.approve(["yes", await onlyOne(here), "--as", "human"]);
    expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "allow" });
    expect(await here.move("DONE", {})).toMatchObject({ code: "gate_pending" });
    const [first] = await here.list();
    expect(first).toMatchObject({ gate: "build_approval", quorum: 2 });
    expect(await here.approve(["yes", String(first?.["id"])])).toMatchObject({ code: 0 });
    expect(await here.move("DONE", {})).toMatchObject({ code: "gate_pending" });
    expect(await here.move("PLAN", {})).toMatchObject({
      effect: "deny",
      code: "gate_not_rejected",
    });
    expect(await onlyOne(here)).toBe(first?.["id"]);
    expect(
      await here.approve(["no", await onlyOne(here), "--reason", "Begin once more"], TOKENS.bob),
    ).toMatchObject({ code: 0 });
    expect(await here.move("DONE", {})).toMatchObject({ effect: "deny" });
    expect(await here.move("PLAN", {})).toMatchObject({ effect: "allow" });
  });

  test("is closed by a no with a reason that the agent reads", async () => {
    const here = await project();
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    const silent = await here.approve(["no", id, "--as", "lead"]);
    expect(silent).toMatchObject({ code: 2 });
    expect(silent.stderr).toMatch(/^error BYLAW_USAGE_INVALID: A rejection needs a reason/);
    expect(
      await here.approve(["no", id, "--as", "lead", "--reason", "Leave the greeting as it is"]),
    ).toMatchObject({ code: 0 });
    expect(await here.list()).toEqual([]);
    const { effect, votes } = await here.move("BUILD", PLAN);
    expect(effect).toBe("deny");
    expect(votes.map(({ reason }) => reason).join()).toContain("Leave the greeting as it is");
    expect(await here.move("BUILD", planOf("It is polite"))).toMatchObject({
      code: "gate_pending",
    });
    expect(await here.approve(["yes", await onlyOne(here), "--as", "lead"])).toMatchObject({
      code: 0,
    });
    expect(await here.move("BUILD", planOf("It is polite"))).toMatchObject({ effect: "allow" });
  });

  test("that ran out of time is left to a person, and counts as nobody's no", async () => {
    const agent_workflow = CONTRACT.replace(
      "approvers: [human, lead]",
      "approvers: [human, lead]\n        timeout_seconds: 60",
    );
    const before = new Date(Date.now() - 3_600_000).toISOString();
    const here = await project({ "agent_workflow.yaml": agent_workflow }, { now: () => before });
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    expect((await here.approve(["list"])).stdout).toContain(
      "0 of 1 yes from human, lead, out of time",
    );
    refused(
      await here.approve(["yes", id, "--as", "lead"], TOKENS.ci),
      /^error BYLAW_EVENT_REFUSED: .*timed out and waits for a person/,
    );
    expect(
      (await here.store.events("main", 0, 99)).map(({ event_type }) => event_type),
    ).not.toContain("gate_decided");
    expect(await onlyOne(here)).toBe(id);
    expect(await here.approve(["yes", id, "--as", "human"])).toMatchObject({ code: 0 });
    expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "allow" });
    const types = (await here.store.events("main", 0, 99)).map(({ event_type }) => event_type);
    expect(types.filter((type) => type.startsWith("gate_"))).toEqual([
      "gate_escalated",
      "gate_decided",
    ]);
  });

  test("lets a check pass that a person waived, with a reason and for a limited time", async () => {
    const here = await project();
    const empty = { plan_document: { acceptance_criteria: [] } };
    expect(await here.move("BUILD", empty)).toMatchObject({ code: "gate_blocked" });
    const waive = (reason: string, span = "2h"): Promise<Ran> =>
      here.approve([
        ...[
          "waive",
          "--task",
          "T1",
          "--gate",
          "plan_approval",
          "--check",
          "plan_has_acceptance_criteria",
        ],
        ...["--as", "lead", "--for", span, "--reason", reason],
      ]);
    refused(await waive("it is fine"), /^error BYLAW_EVENT_REFUSED: /);
    const why =
      "This task only moves files, and the build that follows shows whether they are found.";
    expect(await waive(why, "soon")).toMatchObject({ code: 2 });
    expect(await waive(why)).toMatchObject({ code: 0 });
    expect(await here.move("BUILD", empty)).toMatchObject({ code: "gate_pending" });
  });
});

describe("a tool call that needs approval", () => {
  test("passes once for each yes, and only exactly as it was asked", async () => {
    const here = await project();
    expect(await here.call({ to: "production" })).toMatchObject({ applied: "ask_user" });
    const id = await onlyOne(here);
    const shown = (await here.approve(["show", id])).stdout;
    expect(shown).toContain("Unexpected deployment");
    expect(shown).toContain('"to": "production"');
    const ran = await here.approve(["yes", id, "--for", "5m"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^approved task T1 by ada, until /);
    expect(await here.list()).toEqual([]);
    refused(await here.approve(["yes", id]), /BYLAW_APPROVAL_MISSING/);
    expect(await here.call({ to: "staging" })).toMatchObject({ applied: "ask_user" });
    expect(await here.call({ to: "production" }, { agent: "dev-2" })).toMatchObject({
      applied: "ask_user",
    });
    expect(await here.call({ to: "production" })).toMatchObject({
      applied: "allow",
      decision: { code: "approved" },
    });
    expect(await here.call({ to: "production" })).toMatchObject({ applied: "ask_user" });
    expect(await here.list()).toHaveLength(3);
  });

  test("is closed by a no with a reason on record, until it is asked again", async () => {
    const here = await project();
    await here.call({ to: "production" });
    const id = await onlyOne(here);
    expect(await here.approve(["no", id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("A rejection needs a reason"),
    });
    expect(await here.approve(["no", id, "--reason", "Not today", "--as", "lead"])).toMatchObject({
      code: 2,
    });
    const ran = await here.approve(["no", id, "--reason", "Not today"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^rejected task T1 by ada \(event \d+\)$/m);
    expect(await here.list()).toEqual([]);
    const [refusal] = (await here.store.events("main", 0, 99)).filter(
      ({ event_type }) => event_type === "approval_refused",
    );
    expect(refusal).toMatchObject({
      agent_id: "dev-1",
      task_id: "T1",
      details: { by: "ada", reason: "Not today" },
    });
    refused(await here.approve(["yes", id]), /BYLAW_APPROVAL_MISSING/);
    refused(await here.approve(["no", id, "--reason", "Still not"]), /BYLAW_APPROVAL_MISSING/);
    expect(await here.call({ to: "production" })).toMatchObject({ applied: "ask_user" });
    expect(await onlyOne(here)).not.toBe(id);
    expect(await here.approve(["yes", await onlyOne(here)])).toMatchObject({ code: 0 });
    expect(await here.call({ to: "production" })).toMatchObject({ applied: "allow" });
  });

  test("is closed by a no that its host also records", async () => {
    const here = await project();
    const { events } = await here.call({ to: "production" });
    const id = await onlyOne(here);
    await here.run.refuse({ asked: events[0]?.sequence ?? 0, by: "ada", reason: "Not today" });
    expect(await here.list()).toEqual([]);
    refused(await here.approve(["yes", id]), /BYLAW_APPROVAL_MISSING/);
  });

  test("cannot be refused by an operator who has the name of one of the run's agents", async () => {
    const operators = OPERATORS.replace('"name":"bob"', '"name":"Dev-1"');
    const here = await project({ ".bylaw/operators.json": operators });
    await here.call({ to: "production" });
    refused(
      await here.approve(["no", await onlyOne(here), "--reason", "no"], TOKENS.bob),
      /BYLAW_APPROVAL_UNAUTHORIZED/,
    );
    expect(await here.list()).toHaveLength(1);
  });

  test("waits also if nobody could be asked", async () => {
    const here = await project();
    expect(await here.call({ to: "production" }, { interactive: false })).toMatchObject({
      decision: { code: "approval_unavailable" },
    });
    expect(await here.approve(["yes", await onlyOne(here)])).toMatchObject({ code: 0 });
    expect(await here.call({ to: "production" }, { interactive: false })).toMatchObject({
      applied: "allow",
    });
  });

  test("is asked anew when its approval has expired", async () => {
    let ahead = 0;
    const here = await project({}, { now: () => new Date(Date.now() + ahead).toISOString() });
    await here.call({ to: "production" });
    expect(await here.approve(["yes", await onlyOne(here), "--for", "30s"])).toMatchObject({
      code: 0,
    });
    ahead = 60_000;
    expect(await here.call({ to: "production" })).toMatchObject({
      applied: "ask_user",
      decision: { code: "approval_expired" },
    });
  });

  test("takes no role, and no yes under another policy or from the agent itself", async () => {
    const here = await project();
    await here.call({ to: "production" });
    const id = await onlyOne(here);
    expect(await here.approve(["yes", id, "--as", "lead"])).toMatchObject({ code: 2 });
    for (const span of ["forever", "0s", "99999w"])
      expect(await here.approve(["yes", id, "--for", span])).toMatchObject({ code: 2 });
    writeFileSync(join(here.cwd, "other.config.mjs"), 'export default { fallback: "ask_user" };\n');
    const args = [
      "approve",
      "yes",
      id,
      "--store",
      "runs.db",
      "--run",
      "main",
      "--config",
      "other.config.mjs",
    ];
    const other = await bylawHere(args, {
      cwd: here.cwd,
      env: { BYLAW_OPERATOR_TOKEN: TOKENS.ada },
    });
    refused(other, /^error BYLAW_APPROVAL_UNFIT: This question was asked under another policy/);
    expect(await here.list()).toHaveLength(1);
    // A no allows nothing, so any policy may be in force.
    const refusal = await bylawHere(args.with(1, "no").concat("--reason", "Not now"), {
      cwd: here.cwd,
      env: { BYLAW_OPERATOR_TOKEN: TOKENS.ada },
    });
    expect(refusal).toMatchObject({ code: 0, stderr: "" });
    expect(await here.list()).toEqual([]);
  });
});

describe("who may answer", () => {
  test("is an operator with the right token, and nobody else", async () => {
    const here = await project();
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    const before = await count(here);
    for (const token of ["", "x", TOKENS.ada.toUpperCase(), `${TOKENS.ada} `]) {
      const ran = await here.approve(["yes", id, "--as", "lead", "--by", "ada"], token);
      refused(ran, /^error BYLAW_APPROVAL_UNAUTHORIZED: /);
      expect(ran.stderr).not.toContain(TOKENS.ada);
    }
    expect(await count(here)).toBe(before);
  });

  test("is nobody if the list of operators is broken or writable by others", async () => {
    const here = await project();
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    const file = join(here.cwd, ".bylaw/operators.json");
    for (const text of [
      "",
      "{}",
      '{"operators":[]}',
      OPERATORS.replace("sha256:", "md5:"),
      `${OPERATORS.slice(0, -1)},"more":1}`,
    ]) {
      writeFileSync(file, text);
      const ran = await here.approve(["yes", id, "--as", "lead"]);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(/^error BYLAW_OPERATORS_INVALID: /);
    }
    writeFileSync(file, OPERATORS);
    chmodSync(file, 0o666);
    expect((await here.approve(["yes", id, "--as", "lead"])).stderr).toMatch(
      /^error BYLAW_OPERATORS_INVALID: Other users may write/,
    );
  });

  test("is nobody without operators and without a terminal", async () => {
    const here = await project();
    rmSync(join(here.cwd, ".bylaw"), { recursive: true });
    await here.move("BUILD", PLAN);
    const id = await onlyOne(here);
    const ran = await here.approve(["yes", id, "--by", "ada", "--as", "lead"]);
    refused(ran, /^error BYLAW_APPROVAL_UNAUTHORIZED: Only a person at a terminal/);
  });

  // `script` of util-linux gives the command a terminal.
  test.skipIf(spawnSync("script", ["--version"]).status !== 0)(
    "is a person at a terminal, who sees the request and confirms the yes",
    async () => {
      const here = await project();
      rmSync(join(here.cwd, ".bylaw"), { recursive: true });
      await here.move("BUILD", PLAN);
      const id = await onlyOne(here);
      const at = (input: string): { readonly status: number | null; readonly stdout: string } =>
        spawnSync(
          "script",
          [
            "-qec",
            `"${process.execPath}" "${BIN}" approve yes ${id} --by ada --as lead --store runs.db --run main --config bylaw.config.mjs`,
            "/dev/null",
          ],
          { cwd: here.cwd, input, encoding: "utf8", timeout: 60_000 },
        );
      const no = at("y\n");
      expect(no.status).toBe(1);
      expect(no.stdout).toContain("It greets by name");
      expect(await here.list()).toMatchObject([{ approvals: [] }]);
      const yes = at("yes\n");
      expect([yes.status, yes.stdout]).toEqual([
        0,
        expect.stringContaining("approved plan_approval task T1 by ada as lead"),
      ]);
      expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "allow" });
    },
  );

  test.skipIf(spawnSync("script", ["--version"]).status !== 0)(
    "is a person who watches: each question is shown once as it comes, with a bell, and answered there",
    async () => {
      const here = await project();
      rmSync(join(here.cwd, ".bylaw"), { recursive: true });
      const options = "--by ada --as lead --store runs.db --config bylaw.config.mjs".split(" ");
      const person = atTerminal(here.cwd, [BIN, "approve", "--watch", ...options]);
      expect(await here.move("BUILD", PLAN)).toMatchObject({ code: "gate_pending" });
      await person.until("anything else to leave it: ");
      expect(person.shown()).toContain("\u0007");
      expect(person.shown()).toContain("It greets by name");
      person.type("no\n");
      await person.until("What has to change: ");
      person.type("Say how it is tested\n");
      await person.until("rejected plan_approval task T1 by ada as lead");
      person.forget();
      expect(await here.call({ to: "staging" })).toMatchObject({ applied: "ask_user" });
      await person.until("anything else to leave it: ");
      person.type("yes\n");
      await person.until("approved task T1 by ada");
      expect(await here.call({ to: "staging" })).toMatchObject({ applied: "allow" });
      person.type("\u0003");
      expect(await person.ended).toBe(0);
    },
  );
});

test("a person's answer is in the file of the log as well", async () => {
  const eventLog = 'import { eventLog } from "@bylaw/plugin-event-log";\n';
  const here = await project(
    {},
    {
      config: (text) =>
        eventLog + text.replace("plugins: [", 'plugins: [eventLog({ file: "log.jsonl" }), '),
    },
  );
  await here.move("BUILD", PLAN);
  expect(await here.approve(["yes", await onlyOne(here), "--as", "lead"])).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(await here.move("BUILD", PLAN)).toMatchObject({ effect: "allow" });
  const events = await here.store.events("main", 0, 99);
  const types = readFileSync(join(here.cwd, "log.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => parseEventLine(line).event_type);
  expect(types).toEqual(events.map(({ event_type }) => event_type));
  expect(types.slice(-2)).toEqual(["gate_decided", "phase_entered"]);
});

describe("bylaw approve", () => {
  test("creates no store, begins no run, and says what is missing", async () => {
    const here = await project();
    const files = readdirSync(here.cwd).sort();
    const at = (...args: readonly string[]): Promise<Ran> =>
      bylawHere(["approve", ...args, "--config", "bylaw.config.mjs"], {
        cwd: here.cwd,
        env: { BYLAW_OPERATOR_TOKEN: TOKENS.ada },
      });
    for (const [args, message] of [
      [
        ["list", "--store", "none.db", "--run", "main"],
        /^error BYLAW_STORE_UNUSABLE: File not found: /,
      ],
      [
        ["yes", "0".repeat(16), "--store", "none.db", "--run", "main"],
        /^error BYLAW_STORE_UNUSABLE: File not found: /,
      ],
      [
        ["list", "--store", "runs.db", "--run", "mian"],
        /^error BYLAW_RUN_MISSING: .*\n {2}fix: Did you mean `main`/,
      ],
      [["yes", "0".repeat(16), "--store", "runs.db", "--run", "new"], /^error BYLAW_RUN_MISSING: /],
      [
        ["show", "0".repeat(16), "--store", "runs.db", "--run", "main"],
        /^error BYLAW_APPROVAL_MISSING: /,
      ],
      [["list"], /^error BYLAW_USAGE_INVALID: No log was named/],
      [["list", "--url", "http://db.example.org"], /^error BYLAW_USAGE_INVALID: `--url` takes/],
      [
        ["list", "--url", "https://ada:secret@example.org"],
        /^error BYLAW_USAGE_INVALID: (?!.*secret)/,
      ],
      [["list", "--url", "http://127.0.0.1:1"], /^error BYLAW_SERVER_UNREACHABLE: /],
      [
        ["yes", "--store", "runs.db", "--run", "main"],
        /^error BYLAW_USAGE_INVALID: `<id>` is missing/,
      ],
      [["approve"], /^error BYLAW_USAGE_INVALID: Unknown command `approve`/],
      [[], /^Usage: bylaw approve [^]*--watch [^]* help /],
      [["--by", "ada"], /^Usage: bylaw approve /],
    ] as const) {
      const ran = await at(...args);
      expect([args, ran.code, ran.stdout]).toEqual([args, 2, ""]);
      expect(ran.stderr).toMatch(message);
    }
    expect(readdirSync(here.cwd).sort()).toEqual(files);
    expect((await here.store.events("new", 0, 9)).length).toBe(0);
  });

  test("sends no control sequence of an agent to the terminal", async () => {
    const here = await project();
    await here.move("BUILD", planOf("\u001b[2J\u202enice"));
    await here.call({ "\u001b]0;x\u0007": "\u009b31m" });
    for (const { id } of await here.list()) {
      for (const args of [["list"], ["show", String(id)]]) {
        expect((await here.approve(args)).stdout).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/,
        );
      }
    }
  });
});
