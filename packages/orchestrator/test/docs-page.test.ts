// Tests the API reference page in a real browser: its content security policy permits it, and it loads nothing from elsewhere.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "./operate-kit.ts";

const BROWSER = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);
if (BROWSER === undefined)
  console.warn(
    "no browser: `apt-get install chromium` lets packages/orchestrator/test/docs-page.test.ts run",
  );

const FLAGS = readCases<string>(import.meta, "flags");

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

function browse(args: readonly string[]): Promise<Ran> {
  const child = spawn(BROWSER ?? "", args);
  const ran = { stdout: "", stderr: "" };
  child.stdout.on("data", (part: unknown) => (ran.stdout += String(part)));
  child.stderr.on("data", (part: unknown) => (ran.stderr += String(part)));
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("close", () => resolve(ran)),
  );
}

test.skipIf(BROWSER === undefined)(
  "a browser shows the page without violating its policy",
  async () => {
    const served = await serve();
    onTestFinished(() => served.close());
    const profile = join(served.folder, "profile");
    const { stdout, stderr } = await browse([
      ...FLAGS,
      `--user-data-dir=${profile}`,
      "--virtual-time-budget=10000",
      "--dump-dom",
      `${served.base}/docs`,
    ]);
    expect(stdout).toContain('id="operations-approvals-get_approvals"');
    expect(stdout).toContain("/tasks/claim");
    expect(stderr).not.toMatch(/Content Security Policy/i);
    expect(stderr).not.toMatch(/CONSOLE.*(?:error|refused)/i);
  },
);
