import { omitUndefined } from "@bylaw/kernel";
import {
  checkAnswerable,
  noOpenQuestion,
  recordAnswer,
  refuseAgents,
  unanswerable,
  unauthorized,
  waiversOf,
  type Question,
  type StopQuestion,
} from "@bylaw/orchestrator/approvals";
import type { Run } from "@bylaw/log";
import { workflowState } from "@bylaw/runner";
import { didYouMean, isBlank, quote } from "@bylaw/wording";
import {
  answererOf,
  confirmed,
  roleOf,
  takeToken,
  type CommandAnswerer,
} from "../approve/authority.ts";
import { alwaysPolicy, alwaysRule, type AlwaysRule } from "../approve/always-rule.ts";
import { questionText } from "../approve/question-text.ts";
import { RemoteApprovals } from "../approve/remote.ts";
import { reportAnswer, type RecordedAnswer } from "../approve/report-answer.ts";
import {
  findQuestion,
  joined,
  lookAt,
  projectOf,
  type ApproveOptions,
} from "../approve/session.ts";
import { policyPlugin, policySourcesOf } from "../decide/kernel-source.ts";
import { runOrLatest, storeOrProject } from "../log/project-store.ts";
import { kernelOf } from "../run/run-kernel.ts";
import { endOf } from "../io/time-span.ts";
import { usageError } from "../io/report-error.ts";
import { paintFor, plain } from "../io/text.ts";
import { ownerOf } from "../suggest/policy-owner.ts";

/** The options of the commands that answer a question. */
export interface AnswerOptions extends ApproveOptions {
  readonly by?: string;
  readonly as?: string;
  readonly reason?: string;
  readonly for?: string;
  /** Whether a yes also becomes a rule. */
  readonly always?: boolean;
}

export interface WaiverOptions extends Omit<AnswerOptions, "reason" | "for" | "always"> {
  readonly task: string;
  readonly gate: string;
  readonly check: string;
  readonly reason: string;
  readonly for: string;
}

/** How long the approval of a tool call holds by default. */
const CALL_FOR = "15m";

/** Records a person's yes or no to one question. */
export async function answer(
  verdict: "approved" | "rejected",
  id: string,
  options: AnswerOptions,
): Promise<void> {
  await reportAnswer(options, () => answerOnce(verdict, id, options, { token: takeToken() }));
}

interface AnsweringOptions {
  readonly token: string | undefined;
  /** Whether the person at the terminal has read all that is recorded. Default: a person without a token is asked. */
  readonly confirmed?: boolean;
}

/** Records one answer. Throws what refuses it. */
export async function answerOnce(
  verdict: "approved" | "rejected",
  id: string,
  options: AnswerOptions,
  { token, confirmed: isConfirmed }: AnsweringOptions,
): Promise<RecordedAnswer> {
  if (options.url !== undefined) return await answerRemotely(verdict, id, options, token);
  const project = await projectOf(options);
  const who = answererOf(project.file, options.by, token);
  const { place, question, agents } = await findQuestion(project, options, id);
  const role = question.kind === "gate" ? roleOf(who, options.as, question.approvers) : undefined;
  checkPerson(who, role, agents);
  checkUsage(question, verdict, options);
  await checkAnswerable(question, verdict, project);
  const expires_at = endOf(options.for ?? CALL_FOR, Date.now());
  let always: AlwaysRule | undefined;
  if (options.always === true) {
    // The operators of the policy that is written decide, not those of `--config`, which may be anybody's.
    const { by } = answererOf(await ownerOf(alwaysPolicy(project.file)), options.by, token);
    always = await alwaysRule(question, { config: project.file, store: options.store, by });
  }
  if (isConfirmed === false || (isConfirmed === undefined && who.ask))
    await see(question, verdict, who, always);
  const given = { verdict, by: who.by, role, reason: options.reason, expires_at };
  // Pauses and holds come from plugins that every run has, whatever its configuration says.
  const stops = question.kind === "pause" || question.kind === "hold";
  const { kernel } = stops ? await kernelOf(undefined, options.config) : project;
  const event = await joined({ ...project, kernel }, place, async (run) => {
    if (question.kind === "hold") checkHold(run, question);
    return await recordAnswer(run, question, given, project);
  });
  // Last, because the answer counts for the policy that asked.
  return always === undefined ? event : { ...event, always: always.accept() };
}

// While the person was reading, the workflow may have gone on and been held again at the same step.
function checkHold(run: Run, { id, step, reason }: StopQuestion): void {
  if (step === null) return;
  const { hold } = run.view(workflowState);
  if (hold?.step !== step || hold.message !== reason) throw noOpenQuestion(id);
}

// The server checks the same things, and identifies the operator by the token.
async function answerRemotely(
  verdict: "approved" | "rejected",
  id: string,
  options: AnswerOptions,
  token: string | undefined,
): Promise<RecordedAnswer> {
  const { url = "", as: role, reason, for: span } = options;
  checkRemote(options);
  const server = new RemoteApprovals(url, token);
  checkUsage(await server.read(id), verdict, options);
  const expires_at = span === undefined ? undefined : endOf(span, Date.now());
  const answer = verdict === "approved" ? "yes" : "no";
  return await server.answer(id, { answer, ...omitUndefined({ role, reason, expires_at }) });
}

function checkRemote({ by, always }: AnswerOptions): void {
  if (always === true)
    throw usageError("`--always` writes a policy here, not at `--url`", "Remove one of them");
  if (by !== undefined)
    throw usageError("With `--url` the token says who answers", "Remove `--by`");
}

/** Records that a check need not pass for a while. */
export async function waive({
  task,
  gate,
  check,
  reason,
  ...options
}: WaiverOptions): Promise<void> {
  await reportAnswer(options, async () => {
    const token = takeToken();
    if (options.url !== undefined) {
      const { url, as: role, for: span } = options;
      const waiver = { gate, check, reason, expires_at: endOf(span, Date.now()) };
      const server = new RemoteApprovals(url, token);
      return await server.waive({ task_id: task, ...waiver, ...omitUndefined({ role }) });
    }
    const project = await projectOf(options);
    const who = answererOf(project.file, options.by, token);
    const store = storeOrProject(options.store);
    const place = { store, run: await runOrLatest(store, options.run) };
    const { gates } = project;
    if (gates === undefined)
      throw unanswerable(
        "The configuration has no gates: it does not use `@bylaw/plugin-gates`",
        "Name another configuration with `--config`",
      );
    const role = roleOf(who, options.as, waiversOf(gates, gate));
    checkPerson(who, role, await lookAt(project, place, async ({ agents }) => agents));
    const expires_at = endOf(options.for, Date.now());
    const waiver = `${check} of gate ${gate}, task ${task}, until ${expires_at}`;
    if (
      who.ask &&
      !(await confirmed(`Let pass as ${plain(who.by)}: ${plain(waiver)}\nType yes to continue: `))
    )
      throw unconfirmed();
    return await joined(project, place, async (run) =>
      gates.plugin.waiveCheck(gates.run(run), {
        task,
        gate,
        check,
        by: who.by,
        role,
        reason,
        expires_at,
      }),
    );
  });
}

/** Records that a mark of the policies counts as not set. */
export async function clear(mark: string, options: AnswerOptions): Promise<void> {
  await reportAnswer(options, async () => {
    const token = takeToken();
    if (options.url !== undefined) {
      checkRemote(options);
      return await new RemoteApprovals(options.url, token).clearMark(mark);
    }
    const project = await projectOf(options);
    const who = answererOf(project.file, options.by, token);
    const { files } = policySourcesOf(project.kernel, await policyPlugin(project.file));
    const names = new Set(
      files.flatMap(({ marks = [] }) => marks.map(({ source }) => source.name)),
    );
    if (!names.has(mark))
      throw usageError(`No policy defines the mark ${quote(mark)}`, didYouMean(mark, [...names]));
    const store = storeOrProject(options.store);
    const place = { store, run: await runOrLatest(store, options.run) };
    checkPerson(who, undefined, await lookAt(project, place, async ({ agents }) => agents));
    if (
      who.ask &&
      !(await confirmed(`Clear ${quote(mark)} as ${plain(who.by)}? Type yes to continue: `))
    )
      throw unconfirmed();
    const [event] = await joined(project, place, (run) => run.clearMark({ mark, by: who.by }));
    if (event === undefined) throw new Error("Nothing was recorded");
    return event;
  });
}

function checkUsage(
  question: Question,
  verdict: "approved" | "rejected",
  options: AnswerOptions,
): void {
  if (verdict === "rejected" && isBlank(options.reason ?? ""))
    throw usageError(
      "A rejection needs a reason",
      "Say with `--reason <text>` what has to change; the agent reads it.",
    );
  if (question.kind === "gate") {
    if (options.for !== undefined)
      throw usageError("`--for` is for tool calls; the approval of a gate holds for its artifacts");
  } else if (
    options.as !== undefined ||
    (question.kind === "call" && verdict === "approved" && options.reason !== undefined)
  )
    throw usageError(
      `\`${options.as === undefined ? "--reason" : "--as"}\` is for gates, not for tool calls`,
    );
}

// A person cannot use the name of an agent. An agent that approves a gate has its own token, and the gate checks that it did not
// work on the task.
function checkPerson(
  { by, ask }: CommandAnswerer,
  role: string | undefined,
  agents: ReadonlySet<string>,
): void {
  if (!ask && role !== undefined && role !== "human") return;
  refuseAgents(by, agents);
}

async function see(
  question: Question,
  verdict: string,
  { by }: CommandAnswerer,
  always: AlwaysRule | undefined,
): Promise<void> {
  const paint = paintFor(process.stderr);
  process.stderr.write(`${questionText(question, paint)}${always?.text(paint) ?? ""}`);
  if (!(await confirmed(`This will be ${verdict} by ${plain(by)}. Type yes to continue: `)))
    throw unconfirmed();
}

const unconfirmed = (): Error => unauthorized("The answer was not `yes`", "Nothing was recorded");
