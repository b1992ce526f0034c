import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Host } from "../host.ts";
import { findInstallFault, inspectSettings } from "../settings/inspect.ts";
import { installHooks, uninstallHooks } from "../settings/install.ts";
import { COMMAND, inFolder, isUserTarget } from "./installer.ts";
import type { Proof } from "./kit.ts";

const PLACE = { home: "/home/u", cwd: "/home/u/project", env: {} };

const targetOf = (host: Host, place = PLACE, project = "/p"): string =>
  host.files(place, project).find(isUserTarget)?.file ?? "";

/** Whether Bylaw writes a file of code for this host instead of settings. */
export const isPlugin = (host: Host): boolean => host.ownFile?.(targetOf(host), "x") !== undefined;

// Hook commands, with the refusal that must follow. Undefined if the call must run.
const HOOKS: readonly (readonly [command: string, refusal: RegExp | undefined])[] = [
  ["printf '{}'", undefined],
  [`printf '{"deny":"No."}'`, /^No\.$/],
  [`printf '{"deny":"No.","args":{"command":"pwd"}}'`, /^No\.$/],
  [`printf '{"args":[]}'`, /cannot be read/],
  [`printf '{"args":"pwd"}'`, /cannot be read/],
  ["cat >&2; exit 2", /"tool":"bash"/],
  ["exit 1", /did not answer/],
  ["kill -9 $$", /did not answer/],
  ["/nowhere/node", /not found|did not answer/i],
  ["echo '{}'", /cannot be read/],
  ["printf 'hello'", /cannot be read/],
  ["printf '[]'", /cannot be read/],
  [`printf '{"deny":""}'`, /cannot be read/],
  ["exec sleep 60", /in time/],
];

/** Asks our file about a call. The hook is this command. */
async function refusalBy(
  host: Host,
  command: string,
  folder: string,
  args: object = { command: "ls" },
): Promise<unknown> {
  const text = host.ownFile?.(targetOf(host), command) ?? "";
  const slow = command.includes("sleep") ? text.replace(/timeout: \d+/, "timeout: 300") : text;
  const file = join(folder, `${randomUUID()}.mjs`);
  writeFileSync(file, `${slow}\nexport { refusalOf };\n`);
  const { refusalOf } = (await import(pathToFileURL(file).href)) as {
    readonly refusalOf: (event: object) => Promise<unknown>;
  };
  return await refusalOf({ event: "tool_call", tool: "bash", args });
}

const hookProofs = (host: Host): readonly Proof[] =>
  HOOKS.map(([command, refusal]): Proof => [
    `${refusal === undefined ? "runs a call" : "blocks a call"} after: ${command}`,
    inFolder(async (folder) => {
      const found = await refusalBy(host, command, folder);
      if (refusal === undefined) assert.equal(found, undefined);
      else assert.match(String(found), refusal);
    }),
  ]);

const changes = (host: Host): Proof => [
  "changes the arguments of a call in place, and only if the answer has an object of them",
  inFolder(async (folder) => {
    const args = { command: "ls", old: true };
    const answer = `printf '{"args":{"command":"pwd"}}'`;
    assert.equal(await refusalBy(host, answer, folder, args), undefined);
    assert.deepEqual(args, { command: "pwd" });
  }),
];

/** Tests that our file is written, found, replaced and removed, and that files of others stay. */
export const pluginProofs = (host: Host): readonly Proof[] => [
  ...hookProofs(host),
  changes(host),
  [
    "writes a file that Node can read, and removes it again",
    inFolder(async (home) => {
      const file = targetOf(host, { home, cwd: home, env: {} }, home);
      assert.equal(installHooks(host, file, COMMAND(host)).state, "installed");
      const { status, stderr } = spawnSync(process.execPath, ["--check", file]);
      assert.equal(status, 0, String(stderr));
      assert.equal(installHooks(host, file, COMMAND(host)).state, "unchanged");
      assert.equal(uninstallHooks(host, file).state, "removed");
      assert.ok(!existsSync(file));
      assert.equal(uninstallHooks(host, file).state, "absent");
    }),
  ],
  [
    "replaces the file of another installation",
    inFolder(async (home) => {
      const file = targetOf(host, { home, cwd: home, env: {} }, home);
      installHooks(host, file, COMMAND(host).replace("/opt/", "/old/"));
      assert.equal(installHooks(host, file, COMMAND(host)).state, "updated");
      assert.ok(!readFileSync(file, "utf8").includes("/old/"));
    }),
  ],
  [
    "leaves a file of others alone",
    inFolder(async (home) => {
      const file = join(home, "bylaw.js");
      writeFileSync(file, "export default () => {};\n");
      assert.throws(() => installHooks(host, file, COMMAND(host)), { name: "BylawError" });
      assert.equal(uninstallHooks(host, file).state, "absent");
      assert.equal(readFileSync(file, "utf8"), "export default () => {};\n");
    }),
  ],
  [
    "reports what is installed, changed or broken",
    inFolder(async (home) => {
      const place = { home, cwd: home, env: {} };
      const file = targetOf(host, place, home);
      const fault = (): string | undefined =>
        findInstallFault(host, inspectSettings(host, place, join(home, "project")), COMMAND(host));
      assert.match(fault() ?? "", /not installed/);
      installHooks(host, file, COMMAND(host));
      assert.equal(fault(), undefined);
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replaceAll("bylaw.config.json", "empty.json"));
      assert.match(fault() ?? "", /not installed/);
      writeFileSync(file, text.replace("await refusalOf", "refusalOf"));
      assert.match(fault() ?? "", /changed/);
      writeFileSync(file, "{");
      assert.match(fault() ?? "", /not installed/);
    }),
  ],
];
