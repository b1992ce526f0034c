// Runs `bylaw lint`, `test` and `replay`, and reports as annotations, SARIF, a summary and a comment. It needs nothing but Node.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { commentOn } from "./comment.js";
import { annotation, report, sarif } from "./report.js";

const input = (name) => (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
const workspace = resolve(process.env.GITHUB_WORKSPACE ?? ".");
const directory = resolve(workspace, input("directory"));

// There the code of a stranger's branch, which a configuration is, would run with a token that can write.
if (process.env.GITHUB_EVENT_NAME === "pull_request_target")
  throw new Error("Bylaw does not run on `pull_request_target`. Use `pull_request`.");

/** Runs a command of Bylaw. Its answers are the lines of its output. */
function bylaw(...args) {
  const own = join(directory, "node_modules/@bylaw/cli/bin/bylaw.js");
  const [program, ...before] = existsSync(own)
    ? [process.execPath, own]
    : ["npx", "--yes", `@bylaw/cli@${input("version")}`];
  const { status, stdout, stderr, error } = spawnSync(program, [...before, ...args, "--json"], {
    cwd: directory,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    shell: process.platform === "win32" && program === "npx",
  });
  try {
    if (error) throw error;
    const answers = stdout.trim().split("\n").filter(Boolean).map(JSON.parse);
    if (status === null || answers.length === 0) throw new Error("It gave no answer");
    return { status, answers };
  } catch (cause) {
    // Output that cannot be read is never a pass.
    throw new Error(`bylaw ${args[0]} failed: ${stderr?.trim() || cause.message}`, { cause });
  }
}

const config = input("config") === "" ? [] : ["--config", input("config")];
const cases = input("cases").split("\n").filter(Boolean);

const lint = bylaw("lint", ...config);
const test = cases.length === 0 ? undefined : bylaw("test", ...config, "--cases", ...cases);
const replay = input("log") === "" ? undefined : replayed(input("log"));

// A replay needs its candidate by name.
function replayed(log) {
  const shown = bylaw("config", "show", ...config);
  const [{ file }] = shown.answers;
  return file === undefined ? shown : bylaw("replay", log, "--config", file);
}

const inWorkspace = (file) => relative(workspace, resolve(directory, file));
const all = [lint, test, replay].filter((run) => run !== undefined);
const errors = all.flatMap(({ answers }) =>
  answers.flatMap(({ error, findings = [] }) => (error && findings.length === 0 ? [error] : [])),
);
const findings = [
  ...all.flatMap(({ answers }) => answers.flatMap((one) => one.findings ?? [])),
  ...errors,
]
  .map((finding) => ({ severity: "error", ...finding }))
  .map(({ file, ...rest }) => (file === undefined ? rest : { ...rest, file: inWorkspace(file) }));
const flips = (replay?.answers ?? []).flatMap(({ flip }) => (flip === undefined ? [] : [flip]));
const text = report({ findings, test: test?.answers[0], flips, replay: replay?.answers.at(-1) });

const file = join(process.env.RUNNER_TEMP ?? directory, "bylaw.sarif");
writeFileSync(file, JSON.stringify(sarif(findings), undefined, 2));
for (const finding of findings) console.log(annotation(finding));
if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, text);
if (process.env.GITHUB_OUTPUT)
  appendFileSync(process.env.GITHUB_OUTPUT, `sarif=${file}\nchanges=${flips.length}\n`);

const event = process.env.GITHUB_EVENT_PATH;
const { pull_request } = event ? JSON.parse(readFileSync(event, "utf8")) : {};
if (pull_request !== undefined && input("comment") === "true")
  await commentOn(pull_request.number, text, input("token")).catch((error) => {
    // A pull request from a fork has a token that can only read. The summary has the same text.
    console.log(
      annotation({ severity: "warning", message: `No comment written: ${error.message}` }),
    );
  });

// Decisions that change are shown, not refused: changing them is what a pull request is for.
const failed =
  lint.status !== 0 || (test !== undefined && test.status !== 0) || replay?.status === 2;
process.exitCode = failed ? 1 : 0;
