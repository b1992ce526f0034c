import { file, hazard, type Findings } from "./findings.ts";
import type { Operand, ParsedArgs } from "./program-spec.ts";
import { after, baseName, prefix } from "./word-text.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

const USUAL = words(
  `all test tests unit e2e integration lint format fmt typecheck type-check types tsc check checks build compile bundle coverage clean docs
  doc dev start serve watch preview bench generate codegen validate verify vet tidy help run-many affected`,
);
// Maven's phases that end before anything is deployed.
const PHASES =
  /^(?:validate|initialize|(?:generate|process)-(?:test-)?(?:sources|resources)|process-(?:test-)?classes|(?:test-)?compile|(?:prepare-)?package|(?:pre-|post-)?integration-test|test|verify|install|clean|site|(?:checkstyle|pmd|spotbugs|jacoco|surefire|failsafe|compiler|resources|formatter|fmt|spotless|ktlint|javadoc):[\w-]+|dependency:(?:tree|analyze|list))$/;
// Gradle's tasks begin with a verb: `testDebugUnitTest`.
const GRADLE =
  /^(?:clean|cleanTest|(?:test|check|build|assemble|compile|classes|jar|lint|javadoc|spotless|ktlint|detekt|checkstyle|pmd|spotbugs|jacoco|kover|tasks|dependencies|projects|properties|help|integrationTest|run|bootRun|bundle|process|generate|verify)(?:[A-Z]\w*)?)$/;
const XCODE = words("build build-for-testing test test-without-building clean analyze");

// Names that tell of an effect on other machines, on data, or on the system.
const OUTWARD =
  /(?:^|[^A-Za-z])(?:un)?(?:deploy|publish|releas|push|upload|install|destroy|drop|purge|wipe|flash|ship|migrate|rollback|teardown)/i;
const OUTWARD_PART =
  /(?:Deploy|Publish|Upload|Push|Destroy|Drop|Purge|Wipe|Migrate|Rollback|Install)(?![a-z])/;

/** Whether the name of a task tells of an effect outside of the project. */
export const isOutward = (name: string): boolean => OUTWARD.test(name) || OUTWARD_PART.test(name);

/** Whether Maven runs this before anything is deployed. */
export const isMavenPhase = (name: string): boolean => PHASES.test(name);

/** Whether a task of Gradle, which may be in another project, usually only builds or tests. */
export const isGradleTask = (name: string): boolean => {
  const task = name.slice(name.lastIndexOf(":") + 1);
  return GRADLE.test(task) && !OUTWARD_PART.test(task);
};

/**
 * Records the tasks after the first as hazards, unless they usually only build, test or check. The first is up to the rule, which has to
 * name it.
 */
export function noteLaterTasks(
  tasks: readonly Operand[],
  out: Findings,
  isUsual: (name: string) => boolean = (name) => USUAL.has(name),
): void {
  for (const { at, word } of tasks.slice(1))
    if (word.text === undefined || !isUsual(word.text)) hazard(out, at, "unknown");
}

/** Records targets whose names tell of an effect outside of the project. */
export function noteOutwardTargets(targets: readonly Operand[], out: Findings): void {
  for (const { at, word } of targets)
    if (word.text === undefined || isOutward(word.text)) hazard(out, at, "unknown");
}

interface Runner {
  /** Options that take the next word. */
  readonly values: ReadonlySet<string>;
  readonly isUsual: (name: string) => boolean;
  /** Words before the first task. */
  readonly lead?: ReadonlySet<string>;
}

const isUsualTask = (name: string): boolean => USUAL.has(name);
const runner = (values: string, more: Partial<Runner> = {}): Runner => ({
  values: words(values),
  isUsual: isUsualTask,
  ...more,
});
// A label of another repository may fetch it. The last names are those of rules that change a cluster.
const isOwnLabel = (name: string): boolean =>
  !/^@(?!\/\/)|[:.](?:apply|create|delete|replace)$/.test(name) &&
  !(name.includes(":") && isOutward(name));

const RUNNERS: Readonly<Record<string, Runner>> = {
  just: runner(""),
  task: runner("-C --concurrency"),
  "go-task": runner("-C --concurrency"),
  rake: runner("-j --jobs"),
  gradlew: runner(
    "-x --exclude-task --tests --configuration --console --warning-mode --max-workers",
    { isUsual: isGradleTask },
  ),
  mvnw: runner("-pl --projects -T", { isUsual: isMavenPhase }),
  nox: runner("-k --keywords -t --tags -p --python"),
  turbo: runner("-F --filter --concurrency --log-order --ui --env-mode", { lead: words("run") }),
  xcodebuild: runner(
    "-scheme -target -sdk -arch -configuration -destination -only-testing -skip-testing",
    { isUsual: (name) => XCODE.has(name) },
  ),
  bazel: runner("", { isUsual: isOwnLabel }),
  bazelisk: runner("", { isUsual: isOwnLabel }),
  zig: runner("", { isUsual: (name) => !isOutward(name) }),
  dune: runner("", { isUsual: (name) => !isOutward(name) }),
};
const NX_VALUES = words("-p --projects --exclude --base --head --parallel -c --configuration");

// The file of tests that a task of Rake runs. Rake also reads globs and braces.
const RAKE_FILE = /^(?:TEST|SPEC)=[\w./-]+(?::\d+)?$/;

/** Records the later tasks of a task runner that has no table, and its variables. */
export function noteTasks(out: Findings): void {
  const name = baseName(out.argv[0]?.text ?? "");
  if (name === "nx") return noteNxTargets(out);
  const known = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (known === undefined) return;
  const tasks: Operand[] = [];
  for (let at = 1; at < out.argv.length; at++) {
    const word = out.argv[at];
    const start = word === undefined ? "" : prefix(word);
    if (word === undefined || start === "--") break;
    if (start.startsWith("-")) at += known.values.has(start) ? 1 : 0;
    else if (name === "rake" && RAKE_FILE.test(word.text ?? "")) file(out, "read", after(word, 5));
    else if (/^\w+\s*[:+?]?=/.test(start)) hazard(out, at, "configure");
    else if (tasks.length > 0 || known.lead?.has(start) !== true) tasks.push({ at, word });
  }
  noteLaterTasks(tasks, out, known.isUsual);
}

// `nx run-many -t build test` runs targets, `nx test app` the target of a project, `nx run app:deploy:test` its target `deploy`.
function noteNxTargets(out: Findings): void {
  const command = out.argv[1]?.text ?? "";
  const many = /^(?:run-many|affected)$/.test(command);
  for (let at = 2; at < out.argv.length; at++) {
    const start = prefix(out.argv[at] ?? { text: "", pieces: [], single: true });
    const given = /^(?:--targets?|-t)=(.*)$/.exec(start)?.[1];
    if (start === "--") break;
    if (command === "run" && /:.*:/.test(start)) hazard(out, at, "unknown");
    if (NX_VALUES.has(start)) at++;
    else if (given !== undefined) {
      if (!given.split(",").every(isUsualTask)) hazard(out, at, "unknown");
    } else if (many && !start.startsWith("-") && !isUsualTask(start)) hazard(out, at, "unknown");
  }
}

const SCRIPT_TASKS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "manage.py",
    words(
      `check test showmigrations makemigrations sqlmigrate diffsettings findstatic startapp makemessages compilemessages runserver version
      help`,
    ),
  ],
  ["setup.py", words("test check build build_ext build_py")],
]);

/** Records the task of a well-known script, unless it usually only builds, tests or checks. */
export function noteScriptTask({ operands: [script, task] }: ParsedArgs, out: Findings): void {
  const known = SCRIPT_TASKS.get(baseName(script?.word.text ?? ""));
  if (known === undefined || task === undefined) return;
  const text = task.word.text ?? "";
  if (!known.has(text) && !/^--(?:version|name|help)$/.test(text)) hazard(out, task.at, "unknown");
}
