import { canonicalJson, present, type LogEvent } from "@bylaw/kernel";
import { foldName, type Run } from "@bylaw/log";
import { answererOf, confirmed, roleOf, takeToken, type Answerer } from "../approve/authority.ts";
import { questionText } from "../approve/question-text.ts";
import type { CallQuestion, GateQuestion, Question, Questions } from "../approve/questions.ts";
import { isRefusal, nothingOpen, unanswerable, unauthorized } from "../approve/refused.ts";
import { joined, lookAt, projectOf, type ApproveOptions, type Project } from "../approve/session.ts";
import { endOf } from "../span.ts";
import { reportError, usageError } from "../fault.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { paintFor, plain } from "../text.ts";

/** The options of an answer. */
export interface AnswerOptions extends ApproveOptions {
  readonly by?: string;
  readonly as?: string;
  readonly reason?: string;
  readonly for?: string;
}

/** The options of a waiver. */
export interface WaiverOptions extends Omit<AnswerOptions, "reason" | "for"> {
  readonly task: string;
  readonly gate: string;
  readonly check: string;
  readonly reason: string;
  readonly for: string;
}

/** How long a yes to a tool call holds. */
const CALL_FOR = "15m";

/** Records a person's yes or no to one question. */
export async function answer(verdict: "approved" | "rejected", id: string, options: AnswerOptions): Promise<void> {
  await told(options, async () => {
    const token = takeToken();
    const project = await projectOf(options);
    const who = answererOf(project.file, options.by, token);
    const questions = await lookAt(project, options);
    const question = questions.open.find((one) => one.id === id);
    if (question === undefined) throw nothingOpen(id);
    const role = question.kind === "gate" ? roleOf(who, options.as, question.approvers) : undefined;
    checkPerson(who, role, questions);
    const said = { verdict, by: who.by, role, options };
    const give = question.kind === "gate" ? decide(project, question, said) : approve(project, question, said);
    await see(question, verdict, who);
    return await joined(project, options, async (run) => await give(run));
  });
}

/** Records that a check does not have to pass for a while. */
export async function waive({ task, gate, check, reason, ...options }: WaiverOptions): Promise<void> {
  await told(options, async () => {
    const token = takeToken();
    const project = await projectOf(options);
    const who = answererOf(project.file, options.by, token);
    const { gates } = project;
    const approvers = [...new Set(gates?.contract.gates.filter(({ id }) => id === gate).flatMap((one) => one.approvers) ?? [])];
    if (gates === undefined)
      throw unanswerable("Unexpected waiver without gates, expected a configuration with `@bylaw/plugin-gates`", "name it with `--config`");
    // At a gate that asks nobody it is a person's to say.
    const role = roleOf(who, options.as, approvers.length === 0 ? ["human"] : approvers);
    checkPerson(who, role, await lookAt(project, options));
    const expires_at = endOf(options.for, Date.now());
    const said = `${check} of gate ${gate}, task ${task}, until ${expires_at}`;
    if (who.ask && !(await confirmed(`Let pass as ${plain(who.by)}: ${plain(said)}\nType yes to go on: `))) throw unconfirmed();
    return await joined(project, options, async (run) =>
      gates.plugin.waiveCheck(gates.run(run), { task, gate, check, by: who.by, role, reason, expires_at }),
    );
  });
}

type Give = (run: Run) => Promise<LogEvent>;

/** What is said to a question, and by whom. */
interface Said {
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  /** Left out for a tool call. */
  readonly role: string | undefined;
  readonly options: AnswerOptions;
}

function decide({ gates }: Project, question: GateQuestion, { verdict, by, role = "", options }: Said): Give {
  const { task, gate, to, artifacts, tree } = question;
  if (options.for !== undefined)
    throw usageError("Unexpected `--for` beside a gate, expected it with a tool call: the yes is to these artifacts");
  if (verdict === "rejected" && (options.reason ?? "").trim() === "")
    throw usageError("Unexpected no without a reason, expected `--reason <text>`", "say what has to change: the agent reads it");
  if (question.content === undefined)
    throw unanswerable("Unexpected gate whose artifacts the log does not have, expected what can be seen", "let the agent ask once more");
  return async (run) => {
    if (gates === undefined) throw nothingOpen(question.id);
    const through = gates.run(run);
    await gates.plugin.escalateGates(through, gates.contract);
    // What was shown, and not what was asked about since.
    const now = gates.plugin.openGates(gates.view(run.view), gates.contract).find((one) => one.task === task && one.gate === gate);
    if (now === undefined || now.artifacts !== artifacts || now.tree !== tree || now.to !== to || now.opened_at !== question.opened_at)
      throw nothingOpen(question.id);
    return await gates.plugin.decideGate(through, {
      task,
      gate,
      by,
      role,
      verdict,
      to,
      artifacts,
      tree,
      ...present({ reason: options.reason }),
    });
  };
}

function approve({ kernel }: Project, question: CallQuestion, { verdict, by, options }: Said): Give {
  const { call, policy } = question;
  if (verdict === "rejected")
    throw unanswerable(
      "Unexpected no to a tool call, expected it to a gate",
      "there is nothing to do: a call that nobody approves does not run",
    );
  if (options.as !== undefined || options.reason !== undefined)
    throw usageError(`Unexpected \`${options.as === undefined ? "--reason" : "--as"}\` beside a tool call, expected it with a gate`);
  if (call === undefined)
    throw unanswerable(
      "Unexpected call of which parts were redacted, expected one that the log has in full",
      "let the host that asked say yes: it has the call",
    );
  if (canonicalJson(policy) !== canonicalJson(kernel.policy)) {
    throw unanswerable(
      "Unexpected policy that did not ask this, expected the one that did",
      "name the configuration of the agent's host with `--config`, as it was then; a call that is asked about again gets a new id",
    );
  }
  const expires_at = endOf(options.for ?? CALL_FOR, Date.now());
  return async (run) => {
    const [granted] = await run.approve({ subject: call, by, expires_at });
    if (granted === undefined) throw nothingOpen(question.id);
    return granted;
  };
}

// Agents and people share one space of names: who gives that of an agent is no person. An agent that a gate names as its approver
// comes with a token of its own, and did not work on the task: the gate sees to that.
function checkPerson({ by, ask }: Answerer, role: string | undefined, { agents }: Questions): void {
  if (!ask && role !== undefined && role !== "human") return;
  if (agents.has(foldName(by)))
    throw unauthorized(
      `Unexpected \`${by}\` as who answers, who is an agent of this run, expected a person`,
      "nobody answers for work of their own",
    );
}

async function see(question: Question, verdict: string, { by, ask }: Answerer): Promise<void> {
  if (!ask) return;
  process.stderr.write(questionText(question, paintFor(process.stderr)));
  if (!(await confirmed(`This will be ${verdict} by ${plain(by)}. Type yes to go on: `))) throw unconfirmed();
}

const unconfirmed = (): Error => unauthorized("Unexpected answer at the terminal, expected `yes`", "nothing was recorded");

// What may not be so is an answer too: 1, and not 2 as for a command or a file that is at fault.
async function told({ json = false }: Pick<ApproveOptions, "json">, work: () => Promise<LogEvent>): Promise<void> {
  try {
    const event = await work();
    const { event_type, sequence, task_id, details } = event;
    const { by, role, verdict, gate, check, expires_at } = details;
    const words = [
      verdict ?? (event_type === "check_waived" ? "waived" : "approved"),
      check,
      gate,
      task_id === null ? undefined : `task ${task_id}`,
    ];
    const whom = `by ${String(by)}${role === undefined ? "" : ` as ${String(role)}`}${expires_at === undefined ? "" : `, until ${String(expires_at)}`}`;
    const text = [...words.filter((word) => word !== undefined).map(String), whom].join(" ");
    await write(json ? jsonLine(event) : `${plain(text)} (event ${sequence})\n`);
    conclude(0);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    reportError(error, { json });
    conclude(1);
  }
}
