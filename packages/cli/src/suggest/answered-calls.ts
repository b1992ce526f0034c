import { foldName, asksPerson, OpenQuestions, readRecordedCall, CALL_EVENTS } from "@bylaw/log";
import { canonicalJson, type LogEvent, type ToolCall } from "@bylaw/kernel";
import { decidedBy } from "../report/decision-of.ts";

/** How people answered the questions about one call, over all runs. */
export interface AnsweredCall {
  readonly call: ToolCall;
  yes: number;
  no: number;
  /** Questions without a person's answer. */
  open: number;
  /** Who said yes. */
  readonly people: Set<string>;
  /** Decisions that denied it and that no person could lift. */
  denied: number;
}

/** How often a rule decided, and how people answered the questions that it asked. */
export interface RuleAnswers {
  fired: number;
  asked: number;
  yes: number;
  no: number;
}

/** The limit of different calls that are kept, not counting those that a person refused. The least recently seen are dropped first. */
export const MAX_CALLS = 10_000;

/** Collects the calls of a log that people were asked about, and those that were denied. Redacted calls are left out. */
export class AnsweredCalls {
  readonly rules = new Map<string, RuleAnswers>();
  /** In the order in which they were last seen. */
  readonly #calls = new Map<string, AnsweredCall>();
  /** The calls that people refused. Never left out, because no rule may allow them. */
  readonly #refused = new Map<string, AnsweredCall>();
  #leftOut = false;
  #run = new RunAnswers();

  /** Begins a run. A question is only answered in its own run. */
  begin(): void {
    this.#end();
    this.#run = new RunAnswers();
  }

  add(event: LogEvent): void {
    const { event_type, agent_id } = event;
    if (agent_id !== null) this.#run.agents.add(foldName(agent_id));
    if (event_type === "approval_granted") this.#run.answer(event, "yes");
    else if (event_type === "approval_refused") this.#run.answer(event, "no");
    if (!CALL_EVENTS.has(event_type)) return;
    const asks = asksPerson(event);
    const rule = this.#ruleOf(event);
    rule.fired += 1;
    if (asks)
      this.#run.open.ask(event, () => {
        rule.asked += 1;
        const call = this.#callOf(event);
        if (call !== undefined) call.open += 1;
        return { rule, call };
      });
    else if (event_type === "tool_denied") {
      const call = this.#callOf(event);
      if (call !== undefined) call.denied += 1;
    }
  }

  /** The calls that were asked about or denied. `only_newest`: whether older ones were dropped. */
  result(): { readonly calls: readonly AnsweredCall[]; readonly only_newest: boolean } {
    this.begin();
    const calls = [...this.#calls.values(), ...this.#refused.values()];
    return { calls, only_newest: this.#leftOut };
  }

  // The name of an agent is no person's. All agents of a run are known at its end.
  #end(): void {
    for (const { asked, answer, by } of this.#run.answers) {
      if (this.#run.agents.has(foldName(by))) continue;
      asked.rule[answer] += 1;
      if (asked.call === undefined) continue;
      asked.call[answer] += 1;
      asked.call.open -= 1;
      if (answer === "yes") asked.call.people.add(by);
      else this.#refuse(asked.call);
    }
  }

  #refuse(one: AnsweredCall): void {
    const key = callKey(one.call);
    this.#calls.delete(key);
    this.#refused.set(key, one);
  }

  #ruleOf(event: LogEvent): RuleAnswers {
    const name = decidedBy(event);
    const known = this.rules.get(name) ?? { fired: 0, asked: 0, yes: 0, no: 0 };
    if (this.rules.size < MAX_CALLS) this.rules.set(name, known);
    return known;
  }

  #callOf(event: LogEvent): AnsweredCall | undefined {
    const { call } = readRecordedCall(event);
    if (call === undefined) return undefined;
    const key = callKey(call);
    const refused = this.#refused.get(key);
    if (refused !== undefined) return refused;
    const made = { call, yes: 0, no: 0, open: 0, people: new Set<string>(), denied: 0 };
    const known = this.#calls.get(key) ?? made;
    this.#calls.delete(key);
    this.#calls.set(key, known);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) {
      this.#calls.delete(oldest);
      this.#leftOut = true;
    }
    return known;
  }
}

/** Equal for calls that an answer is about. */
export function callKey(call: ToolCall): string {
  const { tool, server = null, args, agent = null, phase = null, cwd = null } = call;
  return canonicalJson([tool, server, args, agent, phase, cwd]);
}

interface Asked {
  readonly rule: RuleAnswers;
  readonly call: AnsweredCall | undefined;
}

class RunAnswers {
  readonly open = new OpenQuestions<Asked>();
  readonly agents = new Set<string>();
  readonly answers: { asked: Asked; answer: "yes" | "no"; by: string }[] = [];

  answer(event: LogEvent, answer: "yes" | "no"): void {
    const asked = this.open.answered(event);
    if (asked !== undefined) this.answers.push({ asked, answer, by: String(event.details["by"]) });
  }
}
