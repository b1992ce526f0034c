import { statSync } from "node:fs";
import { join } from "node:path";
import { parseData } from "@bylaw/config";
import { expect, it } from "vitest";
import { filesAt, root, textOf } from "./workspaces.ts";

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly "timeout-minutes"?: number; readonly steps: readonly Step[] }>
  >;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

const { scripts } = JSON.parse(textOf("package.json")) as { readonly scripts: object };
const workflows = filesAt(".github/workflows/*.yml");

it("there are workflows", () => {
  expect(workflows.length).toBeGreaterThan(1);
});

it.each(workflows)("%s runs commands that exist, with few rights and a limit", async (file) => {
  const { value } = await parseData(file, textOf(file));
  const { permissions, jobs } = value as unknown as Workflow;
  expect(permissions).toEqual({ contents: "read" });
  for (const [name, job] of Object.entries(jobs)) {
    expect(job["timeout-minutes"], name).toBeGreaterThan(0);
    for (const { uses, run = "" } of job.steps) {
      if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
      // Text of a pull request in a shell line would be run.
      expect(run).not.toContain("${{");
      const [, script] = /^npm run (\S+)/.exec(run) ?? [];
      if (script !== undefined) expect(scripts).toHaveProperty([script]);
      if (run.startsWith(".")) expect(statSync(join(root, run)).mode & 0o111, run).not.toBe(0);
    }
  }
});
