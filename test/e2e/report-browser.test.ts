// Opens the page of `bylaw report --format html` in a real browser: its own policy lets its charts run, and nothing else.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { bylaw, scratch } from "./bylaw.ts";
import { BROWSER, FLAGS } from "./dashboard-kit.ts";

const line = (
  sequence: number,
  event_type: string,
  agent_id: string | null,
  details: object,
): string =>
  `${JSON.stringify({
    timestamp: `2026-01-17T09:00:${String(sequence).padStart(2, "0")}Z`,
    sequence,
    session_id: "11111111-1111-4111-8111-111111111111",
    event_type,
    agent_id,
    task_id: null,
    details,
  })}\n`;

const violation = (attempt: number, tool: string): object => ({
  ...{
    round: 1,
    attempt,
    max_attempts: 3,
    reason: "no_workflow_tool",
    tool_calls: [tool],
    error_message: "x",
  },
  ...{ buffer_preview: "", buffer_chars: 100, recovery: "restart", final: false, decision: {} },
});

test.skipIf(BROWSER === undefined)(
  "a browser draws its charts, and runs nothing that a log contains",
  { timeout: 120_000 },
  () => {
    const hostile = `</script><script>document.title = "taken over"</script><img src=x onerror="document.title = 'taken over'">`;
    const events = [
      line(1, "session_start", null, { plan_file: null, total_tasks: 0 }),
      line(2, "enforcement", "ann", violation(1, "execute_command")),
      line(3, "enforcement", hostile, violation(1, hostile)),
      line(4, "response_accepted", "ann", { round: 1, attempt: 2, decision: {} }),
    ];
    const cwd = scratch({ "events.jsonl": events.join("") });
    const { code, stdout } = bylaw("report events.jsonl --format html", { cwd });
    expect(code).toBe(0);
    const page = join(cwd, "report.html");
    writeFileSync(page, stdout);
    const args = [
      "--headless",
      ...FLAGS,
      `--user-data-dir=${join(cwd, "profile")}`,
      "--virtual-time-budget=5000",
      "--dump-dom",
      pathToFileURL(page).href,
    ];
    const { stdout: dom } = spawnSync(BROWSER ?? "", args, {
      encoding: "utf8",
      maxBuffer: 64 * 1_048_576,
    });
    const drawn = [...dom.matchAll(/<canvas [^>]*height="(\d+)"[^>]*style="[^"]*height: (\d+)px/g)];
    expect(drawn.length).toBeGreaterThanOrEqual(3);
    expect(drawn.every(([, pixels]) => Number(pixels) > 100)).toBe(true);
    expect(dom).toContain("<title>Bylaw report</title>");
    expect(dom).not.toContain("<img");
  },
);
