import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Host } from "../host.ts";
import { findInstallFault, inspectSettings } from "../settings/inspect.ts";
import { installHooks, uninstallHooks } from "../settings/install.ts";
import type { Proof } from "./kit.ts";

/** A command as `bylaw install` writes it. */
export const COMMAND = ({ name }: Host): string =>
  `'/usr/bin/node' '/opt/bylaw.js' hook ${name} --config '/home/o'\\''brien/bylaw.config.json'`;

/** Settings files as people have them. */
const FILES: readonly (readonly [string, string])[] = [
  ["an empty object", "{}"],
  ["an empty object with a line break", "{\n}\n"],
  ["settings in one line", '{ "model": "x", "hooks": {} }'],
  [
    "settings with comments",
    '// mine\n{\n  "model": "x", // fast\n  /* later */\n  "env": {}\n}\n',
  ],
  ["settings with tabs", '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Other": []\n\t}\n}'],
  ["lines that end with CRLF", '{\r\n  "model": "x"\r\n}\r\n'],
  ["a comma behind the last member", '{\n  "a": [1, 2,],\n}\n'],
  ["a byte order mark", '\ufeff{\n  "a": 1\n}\n'],
];

// Hooks of other programs, on the same events as ours.
const foreign = (host: Host): string =>
  JSON.stringify(
    { hooks: Object.fromEntries(eventsOf(host).map((event) => [event, [{ command: "lint" }]])) },
    undefined,
    4,
  );

const eventsOf = (host: Host): readonly string[] => Object.keys(host.hooks(() => "x"));

/** Tests that uninstalling restores the settings file. */
export const textProofs = (host: Host): readonly Proof[] =>
  [...FILES, ["hooks of others", foreign(host)] as const]
    .filter(([, text]) => readable(host, text))
    .flatMap(([what, text]): Proof[] => [
      [
        `restores ${what} byte for byte`,
        inFolder(async (folder) => {
          const file = join(folder, "settings.json");
          writeFileSync(file, text, { mode: 0o640 });
          assert.equal(installHooks(host, file, COMMAND(host)).state, "installed");
          const installed = readFileSync(file, "utf8");
          assert.equal(readFileSync(`${file}.bylaw-backup`, "utf8"), text);
          assert.equal(installHooks(host, file, COMMAND(host)).state, "unchanged");
          assert.equal(readFileSync(file, "utf8"), installed);
          assert.equal(uninstallHooks(host, file).state, "removed");
          assert.equal(readFileSync(file, "utf8"), text);
          assert.equal(statSync(file).mode & 0o777, 0o640);
          assert.ok(!existsSync(`${file}.bylaw-backup`));
          assert.equal(uninstallHooks(host, file).state, "absent");
        }),
      ],
      [
        `keeps changes that were made to ${what} in between`,
        inFolder(async (folder) => {
          const file = join(folder, "settings.json");
          writeFileSync(file, text);
          installHooks(host, file, COMMAND(host));
          writeFileSync(file, `${readFileSync(file, "utf8")}\n// seen\n`);
          uninstallHooks(host, file);
          const after = readFileSync(file, "utf8");
          assert.ok(!after.includes(`hook ${host.name}`) && after.endsWith("// seen\n"));
          for (const part of text.match(/"(?:model|a|env)": [^\s,]+|\/\/ mine|"lint"/g) ?? [])
            assert.ok(after.includes(part), part);
        }),
      ],
    ]);

/** Tests that the hook is not installed into a file that the host would skip. */
export const refusedProofs = (host: Host): readonly Proof[] =>
  FILES.filter(([, text]) => !readable(host, text)).map(([what, text]): Proof => [
    `refuses ${what}, which the host does not read`,
    inFolder(async (folder) => {
      const file = join(folder, "settings.json");
      writeFileSync(file, text);
      assert.throws(() => installHooks(host, file, COMMAND(host)), /does not read settings with/);
      assert.equal(readFileSync(file, "utf8"), text);
    }),
  ]);

function readable(host: Host, text: string): boolean {
  if (host.capabilities.comments && text.includes("// mine")) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Tests that an installed hook is found, replaced and removed. */
export const stateProofs = (host: Host): readonly Proof[] => [
  [
    "creates a missing file, and removes it again",
    inFolder(async (folder) => {
      const file = join(folder, "deep/settings.json");
      installHooks(host, file, COMMAND(host));
      const { hooks } = JSON.parse(readFileSync(file, "utf8")) as { hooks: object };
      assert.deepEqual(Object.keys(hooks), eventsOf(host));
      uninstallHooks(host, file);
      assert.ok(!existsSync(file));
    }),
  ],
  [
    "changes nothing in a file that it cannot read",
    inFolder(async (folder) => {
      const file = join(folder, "settings.json");
      for (const text of ["{", '{"hooks": []}', "[]", '{"a":1,"a":2}', '{"__proto__":1}']) {
        writeFileSync(file, text);
        assert.throws(() => installHooks(host, file, COMMAND(host)), { name: "BylawError" });
        assert.equal(readFileSync(file, "utf8"), text);
      }
    }),
  ],
  [
    "replaces the hook of another installation",
    inFolder(async (folder) => {
      const file = join(folder, "settings.json");
      installHooks(host, file, COMMAND(host).replace("/opt/", "/old/"));
      assert.equal(installHooks(host, file, COMMAND(host)).state, "updated");
      const text = readFileSync(file, "utf8");
      assert.ok(text.includes("/opt/bylaw.js") && !text.includes("/old/"));
      uninstallHooks(host, file);
      assert.ok(!existsSync(file));
    }),
  ],
  [
    "reports what is installed, changed or broken",
    inFolder(async (folder) => {
      const place = { home: join(folder, "home"), cwd: folder, env: {} };
      const project = join(folder, "project");
      const fault = (): string | undefined =>
        findInstallFault(host, inspectSettings(host, place, project), COMMAND(host));
      assert.match(fault() ?? "", /not installed/);
      const { file } = host.files(place, project).find(isUserTarget) ?? assert.fail();
      mkdirSync(dirname(file), { recursive: true });
      installHooks(host, file, COMMAND(host));
      assert.equal(fault(), undefined);
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replaceAll("bylaw.config.json", "empty.json"));
      assert.match(fault() ?? "", /not installed/);
      writeFileSync(file, text.replace('"type"', '"typ"'));
      assert.match(fault() ?? "", /changed/);
      writeFileSync(file, "{");
      assert.notEqual(fault(), undefined);
    }),
  ],
];

export const isUserTarget = ({ scope, target }: ReturnType<Host["files"]>[number]): boolean =>
  scope === "user" && target;

/** Makes a test that gets its own folder. */
export function inFolder(work: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), "bylaw-host-"));
    try {
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
