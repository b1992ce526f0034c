import { chownSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canContain, isRoot, NOBODY } from "@bylaw/process";
import { createMemoryStore } from "@bylaw/log";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createOrchestrator,
  type Log,
  type Orchestrator,
  type SettingsInput,
} from "../src/index.ts";

const CONTRACT = {
  bylaw: 1,
  name: "One",
  phases: [{ id: "WORK", name: "Work", allowed_tools: ["bash"] }],
  transitions: [],
  enforcement: { mode: "strict" },
};
const REFUSED = { code: "BYLAW_ROOT_REFUSED" };

function site(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "contract.yaml"), JSON.stringify(CONTRACT));
  return folder;
}

async function start(folder: string, settings: SettingsInput, log?: Log): Promise<Orchestrator> {
  const places = {
    contract: join(folder, "contract.yaml"),
    data: join(folder, "data"),
    workspace: join(folder, "work"),
    port: 0,
  };
  const secrets = { enrol: "the-secret-that-agents-enrol-with-here" };
  const made = await createOrchestrator({
    store: createMemoryStore(),
    secrets,
    settings: { ...places, ...settings },
    ...(log === undefined ? {} : { log }),
  });
  onTestFinished(() => made.close());
  return made;
}

function logged(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, line: string) => void lines.push(line),
  };
  return { log, lines };
}

describe.runIf(isRoot() && process.platform === "linux")("a server that is root", () => {
  it("does not start if programs of agents would be root, and creates nothing", async () => {
    const folder = site();
    mkdirSync(join(folder, "work"));
    await expect(start(folder, {})).rejects.toMatchObject({
      ...REFUSED,
      fix: expect.stringMatching(/chown -R.*--allow-root/s),
    });
    chownSync(join(folder, "work"), 1_000, 1_000);
    await expect(start(folder, { tools: { contain: "never" } })).rejects.toMatchObject(REFUSED);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  it("starts if that is allowed, and logs one line about it", async () => {
    const folder = site();
    mkdirSync(join(folder, "work"));
    for (const contain of ["possible", "never"] as const) {
      const { log, lines } = logged();
      await start(folder, { tools: { contain, allow_root: true } }, log);
      expect(lines.filter((line) => line.includes("root"))).toEqual([
        "the programs of agents run as root, because `tools.allow_root` is set",
      ]);
    }
  });

  it("starts if `tools.wrap` starts programs, which is the operator's responsibility", async () => {
    const folder = site();
    mkdirSync(join(folder, "work"));
    await start(folder, { tools: { wrap: ["/usr/bin/env"] } });
    expect(statSync(join(folder, "work")).uid).toBe(0);
  });

  it.runIf(canContain())("gives every workspace that it creates to another user", async () => {
    const folder = site();
    const { log, lines } = logged();
    const { service } = await start(folder, { workspace_per_task: true }, log);
    expect([statSync(join(folder, "work")).uid, statSync(service.workspaceOf("t1")).uid]).toEqual([
      NOBODY.uid,
      NOBODY.uid,
    ]);
    const other = site();
    chownSync(other, 1_234, 1_234);
    await start(other, {}, log);
    expect(statSync(join(other, "work"))).toMatchObject({ uid: 1_234, gid: 1_234 });
    expect(lines).toEqual([]);
  });
});
