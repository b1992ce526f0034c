import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  findConfig,
  installedPackage,
  lockFileOf,
  packageDigest,
  readRulesetLock,
  type AcceptedRuleset,
} from "@bylaw/config";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, paintFor, place, plain } from "../io/text.ts";
import { flipText } from "../replay/replay-report.ts";
import { unreadable } from "../ruleset/npm.ts";
import { filesOf } from "../ruleset/package-files.ts";
import { withPackages, type PackagePlace } from "../ruleset/package-place.ts";
import { readRuleset, type RulesetPackage } from "../ruleset/ruleset-package.ts";
import { checkSignature, readPublicKey } from "../ruleset/signature.ts";
import { checkSameName } from "../ruleset/verify-named.ts";
import { looseningOf, type Loosening } from "../ruleset/verify-package.ts";

const OPTIONS = [
  ["--config <file>", "the configuration (default: the nearest bylaw.config.* upwards)"],
  [
    "--against <package>",
    "the version that was accepted before: a folder or a tarball (default: that of the registry)",
  ],
  ["--key <file>", "the public key that has to have signed this version and later ones"],
  ["--looser", "accept that calls are treated less strictly"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type AcceptOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: { name: ["an installed ruleset"] },
  options: OPTIONS,
  help: `
Records its version and digest in .bylaw/rulesets.lock.json. Where that file is, no other ruleset and no other version loads.
Exit code: 0 recorded, 1 nothing was recorded: it is less strict than before, and --looser was not given; 2 usage error,
or a package, signature or configuration that cannot be used.

Examples:
  $ bylaw ruleset accept acme-rules
  $ bylaw ruleset accept acme-rules --looser --json`,
  run: accept,
};

/** Records that a person accepts the installed version of a ruleset. */
async function accept(name: string, options: AcceptOptions): Promise<void> {
  const { config, key, json = false } = options;
  const file = config === undefined ? await findConfig(process.cwd()) : resolve(config);
  const folder = installedPackage(file, name);
  if (folder === undefined)
    throw unreadable(`\`${name}\` is not installed beside the configuration`, {
      fix: `Run \`npm install ${name}\``,
      file,
    });
  const lock = readRulesetLock(file) ?? {};
  const before = Object.hasOwn(lock, name) ? lock[name] : undefined;
  const pem = key === undefined ? before?.key : await readPublicKey(key);
  const named = [
    folder,
    ...(before === undefined ? [] : [options.against ?? `${name}@${before.version}`]),
  ];
  await withPackages(named, async ([found, older]) => {
    if (found === undefined) throw new TypeError("no package");
    const now = { ...found, name, installed: true };
    // Reading a ruleset runs its code, so unsigned or exchanged files must be found before.
    if (pem !== undefined) await checkSignature(found.folder, await digestOf(now), pem);
    if (older !== undefined && before !== undefined) await checkSame(before, older);
    const ruleset = await readRuleset(now);
    // Its code ran: what is recorded must still be what was signed.
    if (pem !== undefined) await checkSignature(found.folder, ruleset.digest, pem);
    const loosening =
      older === undefined || before?.digest === ruleset.digest
        ? undefined
        : await looseningFrom(older, ruleset);
    const number = (loosening?.calls.length ?? 0) + (loosening?.final.length ?? 0);
    const recorded = number === 0 || options.looser === true;
    const entry: AcceptedRuleset = {
      version: ruleset.version,
      digest: ruleset.digest,
      ...(pem === undefined ? {} : { key: pem }),
      ...(loosening === undefined || number === 0
        ? {}
        : { looser: { than: loosening.version, number } }),
    };
    const target = lockFileOf(file);
    if (recorded) writeLock(target, { ...lock, [name]: entry });
    await write(
      json
        ? jsonLine({ name, recorded, file: target, ...entry, against: loosening })
        : `${acceptedText(ruleset, loosening, { number, recorded, target })}\n`,
    );
    conclude(recorded ? 0 : 1);
  });
}

const digestOf = async (place: PackagePlace): Promise<string> =>
  packageDigest(await filesOf(place));

// The accepted version is compared, even if the registry has other files under its number today.
async function checkSame({ version, digest }: AcceptedRuleset, older: PackagePlace): Promise<void> {
  if ((await digestOf(older)) === digest) return;
  throw unreadable(`${older.named} is not the ${version} that was accepted`, {
    fix: "Name the accepted one with `--against`",
  });
}

async function looseningFrom(place: PackagePlace, ruleset: RulesetPackage): Promise<Loosening> {
  const older = await readRuleset(place);
  checkSameName(ruleset, older);
  return await looseningOf(ruleset, older);
}

function writeLock(file: string, rulesets: Readonly<Record<string, AcceptedRuleset>>): void {
  mkdirSync(dirname(file), { recursive: true });
  const sorted = Object.fromEntries(
    Object.entries(rulesets).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  writeFileSync(file, `${JSON.stringify({ rulesets: sorted }, undefined, 2)}\n`);
}

function acceptedText(
  { name, version, digest }: RulesetPackage,
  loosening: Loosening | undefined,
  { number, recorded, target }: { number: number; recorded: boolean; target: string },
): string {
  const paint = paintFor(process.stdout);
  return [
    ...(loosening?.calls ?? []).map((flip) => flipText(flip, paint)),
    ...(loosening?.final ?? []).map((rule) => `no longer final: ${plain(rule)}`),
    ...(loosening === undefined
      ? []
      : [
          `${plain(`${name} ${version}`)} is less strict than ${plain(loosening.version)} in ${count(number, "case")}`,
        ]),
    recorded
      ? `accepted ${plain(`${name} ${version}`)} ${digest} in ${place({ file: target })}`
      : "Nothing was recorded. To accept that, add `--looser`.",
  ].join("\n");
}
