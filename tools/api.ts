import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
} from "@microsoft/api-extractor";

// Without folders: all packages.
const { values: flags, positionals: folders } = parseArgs({
  options: { check: { type: "boolean", default: false } },
  allowPositionals: true,
});
const root = resolve(import.meta.dirname, "..");
const snapshots = join(root, "test/contract/api");
const scratch = mkdtempSync(join(tmpdir(), "bylaw-api-"));
const problems: string[] = [];
const expected = new Set<string>();
try {
  mkdirSync(snapshots, { recursive: true });
  const all = globSync("{packages,plugins,rulesets}/*/package.json", { cwd: root })
    .map(dirname)
    .sort();
  const entries = (folders.length === 0 ? all : folders).flatMap((folder) =>
    entriesOf(join(root, folder)),
  );
  const configs = entries.map((entry) => ({ entry, config: configOf(entry) }));
  const [first] = configs;
  // One program for all packages, because reading the same declarations for each takes most of a minute.
  const additionalEntryPoints = entries.map(({ types }) => types);
  const compilerState = first && CompilerState.create(first.config, { additionalEntryPoints });
  for (const { entry, config } of configs) snapshot(entry, report(config, compilerState));
  for (const file of folders.length === 0 ? globSync("*", { cwd: snapshots }) : []) {
    if (expected.has(file)) continue;
    if (flags.check) problems.push(`${file} is the snapshot of a package that does not exist`);
    else rmSync(join(snapshots, file));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (problems.length > 0) {
  console.error(problems.join("\n\n"));
  process.exitCode = 1;
}

interface Entry {
  readonly of: string;
  readonly path: string;
  readonly folder: string;
  /** The absolute path of its declarations. */
  readonly types: string;
  /** The file name of the snapshot. */
  readonly name: string;
}

function entriesOf(folder: string): readonly Entry[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, { readonly types: string } | string>>;
  };
  return Object.entries(manifest.exports).flatMap(([path, entry]) => {
    if (typeof entry === "string") return [];
    const name = `${basename(manifest.name)}${path.slice(1).replace("/", ".")}.api.md`;
    return [{ of: manifest.name, path, folder, types: join(folder, entry.types), name }];
  });
}

function snapshot({ of, path, name }: Entry, now: string): void {
  expected.add(name);
  const file = join(snapshots, name);
  const [committed] = globSync(file).map((path) => readFileSync(path, "utf8"));
  if (now === committed) return;
  if (!flags.check) {
    writeFileSync(file, now);
    console.log(`wrote ${name}`);
    return;
  }
  const advice = "run `npm run api`, read the difference, and write a changeset for it";
  problems.push(
    `The public API changed: ${of}${path.slice(1)}: ${advice}\n${difference(committed ?? "", now)}`,
  );
}

function configOf({ folder, types, name }: Entry): ExtractorConfig {
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2022",
            lib: ["es2022"],
            module: "nodenext",
            moduleResolution: "nodenext",
            strict: true,
            exactOptionalPropertyTypes: true,
            skipLibCheck: true,
            types: ["node"],
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: scratch,
        reportTempFolder: join(scratch, "new"),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
}

function report(config: ExtractorConfig, compilerState: CompilerState | undefined): string {
  Extractor.invoke(config, {
    ...(compilerState === undefined ? {} : { compilerState }),
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error)
        problems.push(`${basename(config.projectFolder)}: ${message.text}`);
      message.handled = true;
    },
  });
  return readFileSync(config.reportFilePath, "utf8");
}

function difference(before: string, after: string): string {
  const old = new Set(before.split("\n"));
  const fresh = new Set(after.split("\n"));
  const gone = [...old].filter((line) => !fresh.has(line)).map((line) => `- ${line}`);
  return [...gone, ...[...fresh].filter((line) => !old.has(line)).map((line) => `+ ${line}`)].join(
    "\n",
  );
}
