// An agent in its own process. It starts on command, errs, answers and votes, round by round, on a log that others write as well.
import { once } from "node:events";
import { writeSync } from "node:fs";
import { createKernel } from "@bylaw/kernel";
import { agentTurns, openRun, turnOf } from "@bylaw/log";
import { recordResponse, showAnswers } from "@bylaw/plugin-consensus";
import { consensus } from "@bylaw/ruleset-consensus";
import { openSqliteStore } from "@bylaw/store-sqlite";

const [file = "", agent = "", name = ""] = process.argv.slice(2);
const store = await openSqliteStore(file);
const run = await openRun(createKernel({ extends: [consensus] }), {
  run: "poem",
  store,
  join: true,
});
writeSync(1, "ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
for (let step = 0; step < 12; step += 1) {
  await showAnswers(run, agent);
  const call =
    step % 3 === 0
      ? { tool: "new_answer", args: { content: `${name} ${step}` } }
      : step % 3 === 1
        ? { tool: "vote", args: { agent_id: "agent1" } }
        : { tool: "execute_command" };
  const round = turnOf(run.view(agentTurns), agent).round;
  await run.respond({
    agent,
    text: name,
    tool_calls: [call],
    available_tools: ["vote", "new_answer"],
    ...(round > 0 && step % 4 === 0 && { round: round + 1 }),
  });
  await recordResponse(run, agent);
}
await run.close();
await store.close();
