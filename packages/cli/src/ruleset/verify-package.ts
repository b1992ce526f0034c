import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { lintContractFile } from "@bylaw/contract";
import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import kernelManifest from "@bylaw/kernel/package.json" with { type: "json" };
import { lintPolicies, type LintFinding } from "@bylaw/policy-language";
import { loadTemplate, TemplateError } from "@bylaw/runner";
import semver from "semver";
import { viewsOf } from "../cases/policy-bench.ts";
import { runCase, type CaseResult } from "../cases/run-case.ts";
import { loosens, type Flip } from "../replay/replay-report.ts";
import { comparedCalls } from "./compare.ts";
import type { RulesetPackage } from "./ruleset-package.ts";

/** A problem that stops a ruleset from being published. */
export interface Problem {
  readonly message: string;
  readonly fix?: string;
}

/** The ways in which a version is less strict than another. */
export interface Loosening {
  readonly version: string;
  readonly digest: string;
  readonly calls: readonly Flip[];
  /** The `final` rules that are gone or no longer final. */
  readonly final: readonly string[];
}

/** The results about a ruleset. */
export interface Verified {
  readonly results: readonly CaseResult[];
  readonly problems: readonly Problem[];
  /** Problems of the rules that do not stop it. */
  readonly warnings: readonly Problem[];
  readonly against?: Loosening;
}

/** Checks that a ruleset keeps its promises to users, and compares it with the version that they have. */
export async function verifyPackage(
  ruleset: RulesetPackage,
  against: RulesetPackage | undefined,
): Promise<Verified> {
  const { kernel, cases } = ruleset;
  const bench = { kernel, views: viewsOf(kernel) };
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await runCase(one, bench));
  const loosening = against === undefined ? undefined : await looseningOf(ruleset, against);
  const findings = await policyFindings(ruleset);
  return {
    results,
    warnings: problemsIn(findings, "warning"),
    problems: [
      ...manifestProblems(ruleset.manifest),
      ...fileProblems(ruleset),
      ...problemsIn(findings, "error"),
      ...contractProblems(ruleset),
      ...(await templateProblems(ruleset)),
      ...caseProblems(ruleset, results),
      ...(loosening === undefined ? [] : versionProblems(ruleset, loosening)),
    ],
    ...(loosening === undefined ? {} : { against: loosening }),
  };
}

function manifestProblems(manifest: JsonObject): readonly Problem[] {
  const { keywords = null, peerDependencies = null, dependencies = null } = manifest;
  const problems: Problem[] = [];
  if (!Array.isArray(keywords) || !keywords.includes("bylaw-ruleset"))
    problems.push({
      message: "`package.json` lacks the keyword `bylaw-ruleset`",
      fix: "Add it to `keywords`, so that people find the ruleset",
    });
  const ranges = [dependencies, peerDependencies].flatMap((table) =>
    isJsonObject(table) ? Object.entries(table) : [],
  );
  for (const [name, range] of ranges)
    if (!isRange(range))
      problems.push({
        message: `No published version is sure to fit ${JSON.stringify(range)}, the range of \`${name}\``,
        fix: "Give one such as ^1.2.0",
      });
  const kernel = isJsonObject(peerDependencies) ? peerDependencies["@bylaw/kernel"] : undefined;
  if (kernel === undefined)
    problems.push({
      message: "`peerDependencies` does not name `@bylaw/kernel`",
      fix: `Add "@bylaw/kernel": "^${kernelManifest.version}", so that a project has one kernel`,
    });
  else if (isRange(kernel) && !semver.satisfies(kernelManifest.version, kernel))
    problems.push({
      message: `The kernel that this was verified with, ${kernelManifest.version}, is not in the range ${kernel}`,
      fix: "Change the range, or use a command of that version",
    });
  return problems;
}

// `*` promises compatibility that nobody can guarantee.
const isRange = (range: Json | undefined): range is string =>
  typeof range === "string" && ![null, "*"].includes(semver.validRange(range));

/** Every file that plugins read must be in the package. */
function fileProblems({ folder, files, own }: RulesetPackage): readonly Problem[] {
  const published = new Set(files.map(({ path }) => path));
  const texts = own.flatMap(({ options }) => textsIn(options));
  const named = own.flatMap(({ options }) =>
    isJsonObject(options as Json) ? textsIn((options as JsonObject)["files"]) : [],
  );
  const problems: Problem[] = named
    .filter((text) => !isAbsolute(text) && !text.startsWith("file:"))
    .map((text) => ({
      message: `\`${text}\` is relative, so it would be read from the project that uses the ruleset`,
      fix: `Write \`fileURLToPath(new URL(${JSON.stringify(text)}, import.meta.url))\``,
    }));
  for (const text of new Set(texts)) {
    const file = text.startsWith("file:") ? fileURLToPath(text) : text;
    if (!isAbsolute(file) || lstatSync(file, { throwIfNoEntry: false })?.isDirectory() !== false)
      continue;
    const path = relative(folder, file).replaceAll("\\", "/");
    if (published.has(path) && realpathSync(file) === join(folder, path)) continue;
    problems.push({
      message: `\`${path}\` is read by the ruleset, but the package does not contain it`,
      fix: path.startsWith("..")
        ? "Move it into the package"
        : "Add it to `files` in `package.json`; npm leaves links out",
    });
  }
  return problems;
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** What lint finds in the policies of the package itself. */
async function policyFindings({
  folder,
  policies,
}: RulesetPackage): Promise<readonly LintFinding[]> {
  if (policies === undefined) return [];
  const { files, tools } = policies;
  const findings = await lintPolicies(files, { tools });
  return findings.flatMap((finding) => {
    const file = relative(folder, resolve(folder, finding.file));
    return file.startsWith("..") || isAbsolute(file) ? [] : [{ ...finding, file }];
  });
}

const problemsIn = (
  findings: readonly LintFinding[],
  severity: LintFinding["severity"],
): readonly Problem[] =>
  findings
    .filter((finding) => finding.severity === severity)
    .map(({ file, line, message, fix }) => problemAt(file, line, message, fix));

function contractProblems({ folder, files }: RulesetPackage): readonly Problem[] {
  return files
    .filter(({ path }) => /(?:^|\/)agent_workflow\.ya?ml$/.test(path))
    .flatMap(({ path }) =>
      problemsIn(
        lintContractFile(join(folder, path)).findings.map((finding) => ({
          ...finding,
          file: path,
        })),
        "error",
      ),
    );
}

async function templateProblems({ folder, files }: RulesetPackage): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { path } of files.filter((file) => /^templates\/.*\.ya?ml$/.test(file.path))) {
    try {
      await loadTemplate(join(folder, path));
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      for (const { severity, line, message, fix } of error.findings)
        if (severity === "error") problems.push(problemAt(path, line, message, fix));
    }
  }
  return problems;
}

const problemAt = (
  path: string,
  line: number | undefined,
  message: string,
  fix?: string,
): Problem => ({
  message: `${path}${line === undefined ? "" : `:${line}`}: ${message}`,
  ...(fix === undefined ? {} : { fix }),
});

function caseProblems(
  { folder, rules }: RulesetPackage,
  results: readonly CaseResult[],
): readonly Problem[] {
  const hard = results.filter(({ asked }) => !asked.soft);
  const failed = hard.flatMap(({ asked: { id, file, line }, wrong }) =>
    wrong === undefined
      ? []
      : [problemAt(relative(folder, file), line, `case \`${id}\` fails: ${wrong}`)],
  );
  if (hard.length > 0 || rules === 0) return failed;
  return [
    {
      message: "No case about a tool call comes with the package",
      fix: "Publish a `cases.jsonl` that shows what the rules allow and deny",
    },
  ];
}

/** What a ruleset treats less strictly than an older version of it. */
export async function looseningOf(
  ruleset: RulesetPackage,
  old: RulesetPackage,
): Promise<Loosening> {
  const calls: Flip[] = [];
  // Includes the cases of the old version, because the new version could omit cases that no longer pass.
  const asked = [...old.calls, ...ruleset.calls];
  for await (const result of comparedCalls(asked, old.kernel, ruleset.kernel))
    if (result !== "same" && loosens(result)) calls.push(result);
  const { version, digest } = old;
  return { version, digest, calls, final: finalRulesGone(old, ruleset) };
}

export const finalRulesGone = (old: RulesetPackage, { final }: RulesetPackage): readonly string[] =>
  old.final.filter((rule) => !final.includes(rule));

function versionProblems(
  { version, digest }: RulesetPackage,
  { version: old, digest: before, calls, final }: Loosening,
): readonly Problem[] {
  if (version === old)
    return digest === before
      ? []
      : [
          {
            message: `${version} is also the version it is compared with, but the files differ`,
            fix: "Raise `version` in `package.json`",
          },
        ];
  if (semver.lt(version, old))
    return [{ message: `${version} is lower than ${old}, the version it is compared with` }];
  const compatible = semver.satisfies(version, `^${old}`, { includePrerelease: true });
  if (calls.length + final.length === 0 || !compatible) return [];
  return [
    {
      message: `${version} is less strict than ${old} without being a major version`,
      fix: `Make it ${semver.inc(old, semver.major(old) === 0 ? "minor" : "major") ?? ""}, or stay as strict`,
    },
  ];
}
