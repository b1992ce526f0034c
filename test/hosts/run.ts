/**
 * Drives the real programs under Bylaw with a fake model: `npm run test:hosts [-- HOST… --only TEXT]`. Exits with 1 if one does not
 * behave as its adapter says.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { proveSdk, SDK_CASES, SDK_FOLDER } from "./agent-sdk.ts";
import { checksOf, MANAGED, type Check } from "./checks.ts";
import { Desk } from "./desk.ts";
import { fetchInto, fetchProgram, PROGRAMS, type Program } from "./programs.ts";

const { values: flags, positionals: names } = parseArgs({
  options: { only: { type: "string", default: "" }, managed: { type: "boolean", default: false } },
  allowPositionals: true,
});
let failed = 0;

for (const program of PROGRAMS.filter(isNamed)) {
  const { host } = program;
  const missing = fetchProgram(program);
  if (missing !== undefined) {
    say("SKIPPED", program, `all of it: ${missing}`);
    continue;
  }
  if (flags.managed) {
    await prove(program, MANAGED);
    continue;
  }
  for (const check of checksOf(program))
    if (check[0].includes(flags.only)) await prove(program, check);
  if (host.capabilities.managed && MANAGED[0].includes(flags.only)) proveManaged(program);
}
if (!flags.managed && (names.length === 0 || names.includes("agent-sdk"))) await proveAgentSdk();
process.exitCode = failed > 0 ? 1 : 0;

function isNamed({ host }: Program): boolean {
  return names.length === 0 || names.includes(host.name);
}

type State = "ok" | "FAILED" | "SKIPPED";

function say(state: State, { host }: Program, text: string): void {
  tell(state, `${host.title} ${host.capabilities.version}: ${text}`);
}

function tell(state: State, text: string): void {
  console.log(`${state.padEnd(8)} ${text}`);
}

async function proveAgentSdk(): Promise<void> {
  const missing = fetchInto(SDK_FOLDER, join(SDK_FOLDER, "node_modules/@anthropic-ai"));
  if (missing !== undefined) return tell("SKIPPED", `Agent SDK: all of it: ${missing}`);
  for (const one of SDK_CASES.filter(({ name }) => name.includes(flags.only))) {
    const fault = await proveSdk(one).catch(String);
    if (fault !== undefined) failed += 1;
    tell(fault === undefined ? "ok" : "FAILED", `Agent SDK: ${one.name} ${fault ?? ""}`.trim());
  }
}

async function prove(program: Program, [name, body]: Check): Promise<void> {
  const desk = new Desk(program);
  try {
    const fault = await body(desk);
    if (fault !== undefined) failed += 1;
    say(fault === undefined ? "ok" : "FAILED", program, [name, fault].filter(Boolean).join("\n  "));
  } catch (error) {
    failed += 1;
    say("FAILED", program, `${name}\n  ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    desk.close();
  }
}

/** Runs this file again with a private, writable copy of `/etc`. */
function proveManaged(program: Program): void {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-etc-"));
  try {
    const enter = 'cp -a /etc "$0" && mount --bind "$0/etc" /etc && exec "$@"';
    const self = [process.execPath, ...process.execArgv, import.meta.filename];
    const shell = ["-c", enter, folder, ...self, "--managed", program.host.name];
    const can = spawnSync("unshare", ["-m", "true"], { encoding: "utf8" });
    if (can.status !== 0) {
      const why = can.error?.message ?? can.stderr.trim();
      say("SKIPPED", program, `${MANAGED[0]}: a private mount namespace is not permitted: ${why}`);
      return;
    }
    const ran = spawnSync("unshare", ["-m", "sh", ...shell], { stdio: "inherit" });
    if (ran.status !== 0) failed += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
