import {
  BylawError,
  freezeJson,
  messageOf,
  omitUndefined,
  type Decision,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type Projection,
  type Subject,
  type View,
} from "@bylaw/kernel";
import { StoreConflict } from "@bylaw/store";
import { isAllowedByRule } from "../state/allowed-by-rule.ts";
import { policiesOnRecord, policyName, type HookName, type Policies } from "../state/policies.ts";
import { digestOf } from "../format/digest.ts";
import { approvalDigest, currentPhases, openApprovals, phaseOf } from "../state/approval.ts";
import { attemptOf } from "../state/attempt.ts";
import { endOf } from "../state/lifecycle.ts";
import { experimentsIn, type Experiment } from "../state/experiment.ts";
import type { LogState } from "../state/log-state.ts";
import { treeGet } from "../state/tree.ts";
import { assignVariants } from "./assign-variants.ts";
import { ATTEMPTS, type Appended, type Journal, type AgentAndTask } from "./journal-contract.ts";
import type { EventSubject } from "./log-follower.ts";
import { readableIn } from "./readable.ts";
import { clipped, eventOf, recovered } from "./recorded.ts";
import { outcomeOf, questionName } from "./request.ts";
import type { AskOptions, Outcome } from "./run-contract.ts";

interface RecorderOptions {
  readonly kernel: Kernel;
  readonly journal: Journal;
  readonly run: string;
  readonly report: (error: unknown) => void;
}

/** A question as it was asked. */
interface Question {
  readonly hook: HookName;
  readonly input: Subject;
  /** Why the subject cannot be read, if it cannot. */
  readonly unreadable?: unknown;
  readonly options: AskOptions;
}

/** Decides about subjects and records the decisions. Denies what cannot be recorded. */
export class DecisionRecorder {
  readonly policyDigest: string;
  readonly #kernel: Kernel;
  readonly #journal: Journal;
  readonly #run: string;
  readonly #report: (error: unknown) => void;
  /** The last question of each task, or of each agent without a task. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** The hooks whose decisions depend on the whole run. All of their decisions wait for each other. */
  readonly #ofWholeRun = new Set<HookName>();
  readonly #watches: boolean;
  readonly #experiments: readonly Experiment[];

  constructor({ kernel, journal, run, report }: RecorderOptions) {
    this.#kernel = kernel;
    this.#journal = journal;
    this.#run = run;
    this.#report = report;
    this.#watches = kernel.declared.projections.some(({ scope }) => scope !== "task");
    this.#experiments = experimentsIn(kernel.declared.projections);
    this.policyDigest = digestOf(kernel.policy as JsonObject);
  }

  /** Decides about a subject, and resolves when the decision is durable. */
  async ask(hook: HookName, given: object, options: AskOptions = {}): Promise<Outcome> {
    let question: Question;
    try {
      // A copy, so that the caller cannot change it meanwhile.
      const input = freezeJson({ ...given, hook }) as unknown as Subject;
      question = { hook, input, options };
    } catch (unreadable) {
      const readable = hook === "onEnforcement" ? readableIn(given) : {};
      question = { hook, input: { hook, ...readable } as Subject, unreadable, options };
    }
    const turn = this.#ofWholeRun.has(hook) ? WHOLE_RUN : whoIn(question.input);
    return this.#inTurn(turn, () => this.#answer(question, turn));
  }

  /** Sets the fields of the subject that come from the log instead of the caller: its phase, and the attempt of a response. */
  stamp(input: Subject, state: LogState): Subject {
    const phase =
      typeof input.task === "string" ? phaseOf(state.view(currentPhases), input.task) : undefined;
    const { session } = this.#journal;
    const at = this.#journal.time();
    // Undefined fields are fine, because the kernel omits them.
    const stamped = { ...input, phase, run: this.#run, session, at };
    if (input.hook === "onTransition") return { ...stamped, from: phase } as Subject;
    return (
      input.hook === "onEnforcement" ? { ...stamped, ...attemptOf(input, state.view) } : stamped
    ) as Subject;
  }

  async #answer(question: Question, turn: AgentAndTask): Promise<Outcome> {
    const { input, hook, unreadable } = question;
    let problem: unknown;
    for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
      try {
        if (unreadable === undefined) await assignVariants(this.#journal, this.#experiments, input);
      } catch (error) {
        problem = error;
        break;
      }
      const before = this.#journal.state;
      const read = new Map<Projection<unknown>, unknown>();
      const [subject, judged] = await this.#judge(question, before, read);
      const decision = recovered(subject, judged);
      let appended: Appended;
      try {
        appended = await this.#record(question, subject, decision, { before, read });
      } catch (error) {
        problem = error;
        if (!(error instanceof StoreConflict)) break;
        await this.#journal.catchUp().catch(this.#report);
        // A hook's first decision shows whether it depends on the whole run. By then, others may be deciding too.
        if (turn !== WHOLE_RUN && this.#ofWholeRun.has(hook))
          return this.#inTurn(WHOLE_RUN, () => this.#answer(question, WHOLE_RUN));
        continue;
      }
      // From here on the decision is recorded, so it is not retried.
      const { events, written, replayed } = appended;
      const outcome = replayed
        ? outcomeOf(input, events, this.#policies())
        : { decision, applied: decision.applied, events };
      return written.then(
        () => outcome ?? this.#absent(input, "the first answer was not recorded", events),
        (error: unknown) => this.#absent(input, error, events),
      );
    }
    return (await this.#ended(input, problem)) ?? this.#absent(input, problem, []);
  }

  async #judge(
    { input, unreadable, options }: Question,
    before: LogState,
    read: StatesRead,
  ): Promise<readonly [Subject, Decision]> {
    if (unreadable !== undefined) return this.#refuse(input, unreadable, before);
    try {
      const subject = await this.#kernel.prepare(this.stamp(input, before));
      const { grants } = before.view(openApprovals);
      const grant =
        grants === null ? undefined : treeGet(grants, approvalDigest(subject, this.policyDigest));
      const view = this.#watches ? watched(before.view, read) : before.view;
      const decision = await this.#kernel.decidePrepared(subject, view, grant);
      if (read.size > 0) this.#ofWholeRun.add(input.hook as HookName);
      return [subject, forHost(decision, options)];
    } catch (error) {
      return this.#refuse(input, error, before);
    }
  }

  #refuse(input: Subject, error: unknown, before: LogState): readonly [Subject, Decision] {
    const decision = this.#kernel.refuse(input, "invalid_call", messageOf(error));
    if (input.hook !== "onEnforcement") return [{ hook: input.hook } as Subject, decision];
    // An unreadable response must cost an attempt too, or an agent has any number of them.
    const subject: Subject = { hook: input.hook, ...readableIn(input) };
    return [{ ...subject, ...attemptOf(subject, before.view) }, decision];
  }

  async #record(
    question: Question,
    subject: Subject,
    decision: Decision,
    { before, read }: { readonly before: LogState; readonly read: StatesRead },
  ): Promise<Appended> {
    const { hook, input, unreadable, options } = question;
    const { request_id: id, documents = [] } = options;
    const who = whoIn(input);
    const policies = policyName(hook, this.policyDigest, before.view);
    const [type, details] = eventOf(question, subject, decision, policies);
    const event = clipped(this.#journal.draft(type, input, details));
    // The document makes an approval single-use even if two processes read it at once.
    const used = {
      kind: "approval",
      id: `${this.#run}:${decision.approval}`,
      value: "used",
      if_version: 0,
    };
    return this.#journal.append([event], {
      before,
      stale: (other) => concerns(other, input) || (who !== input && concerns(other, who)),
      outdated:
        read.size === 0
          ? undefined
          : ({ view }) => [...read].some(([projection, state]) => view(projection) !== state),
      documents: decision.approval === undefined ? documents : [...documents, used],
      ...omitUndefined({
        request_id: unreadable === undefined ? questionName(input, id) : undefined,
      }),
    });
  }

  // Questions of one task, or of one agent without a task, wait for each other, because each makes the other's decision stale.
  #inTurn<T>({ task, agent }: AgentAndTask, work: () => Promise<T>): Promise<T> {
    const key = typeof task === "string" ? task : JSON.stringify({ agent });
    const before = this.#turns.get(key);
    const turn = before === undefined ? work() : before.then(work);
    const over = (): void => {
      if (this.#turns.get(key) === last) this.#turns.delete(key);
    };
    const last: Promise<void> = turn.then(over, over);
    this.#turns.set(key, last);
    return turn;
  }

  /** The answer to a question whose event was refused because the work in this log has ended. */
  async #ended(input: Subject, problem: unknown): Promise<Outcome | undefined> {
    if (!(problem instanceof BylawError) || problem.code !== "BYLAW_EVENT_REFUSED")
      return undefined;
    await this.#journal.catchUp().catch(this.#report);
    const end = endOf(this.#kernel.declared.projections, this.#journal.state.view);
    return end === undefined
      ? undefined
      : this.#unrecorded(input, "run_ended", `The run ended with \`${end}\``);
  }

  #absent(input: Subject, error: unknown, events: readonly LogEvent[]): Outcome {
    const reason = `The decision could not be recorded: ${messageOf(error)}`;
    return this.#unrecorded(input, "engine_absent", reason, events);
  }

  #unrecorded(
    input: Subject,
    code: "engine_absent" | "run_ended",
    reason: string,
    events: readonly LogEvent[] = [],
  ): Outcome {
    const decision = this.#kernel.refuse(input, code, reason);
    // A host that continued would call its model forever without spending an attempt.
    return {
      decision: input.hook === "onEnforcement" ? { ...decision, recovery: "end" } : decision,
      applied: "deny",
      events,
    };
  }

  #policies(): Policies {
    return {
      ...this.#journal.state.view(policiesOnRecord),
      [this.policyDigest]: this.#kernel.policy,
    };
  }
}

/** A decision with what the host does under it. */
function forHost(
  decision: Decision,
  { left_to_host = false, offered = false }: AskOptions,
): Decision {
  const { applied, code, reason } = decision;
  // Nobody is asked about such a call either.
  if (offered && applied !== "deny" && !isAllowedByRule(decision))
    return {
      ...decision,
      applied: "deny",
      reason: `${reason}. Only a rule can allow a call that is offered instead of another one`,
    };
  const isLeft = left_to_host && code === "fallback" && applied === "ask_user";
  return isLeft ? { ...decision, applied: "allow" } : decision;
}

/** The states that a decision was based on, other than those of its own task or agent. */
type StatesRead = Map<Projection<unknown>, unknown>;

/** The turn of decisions about the whole run: no agent and no task. */
const WHOLE_RUN: AgentAndTask = { agent: null };

/** Wraps the view of a decision, and notes the whole-run states that it reads. */
function watched(view: View, read: StatesRead): View {
  return <State>(projection: Projection<State>): State => {
    const state = view(projection);
    if (projection.scope !== "task") read.set(projection as Projection<unknown>, state);
    return state;
  };
}

// An agent's attempts are its own, whatever task it claims to work on.
const whoIn = (subject: Subject): AgentAndTask =>
  subject.hook === "onEnforcement" ? omitUndefined({ agent: subject.agent }) : subject;

// Another event makes a decision stale only if it concerns the same task, or the same agent without a task.
const concerns = (
  { task_id, agent_id }: EventSubject,
  { task, agent = null }: AgentAndTask,
): boolean => (task === undefined ? agent_id === agent : task_id === task);
