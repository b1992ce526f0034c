import { describe, expect, it } from "vitest";
import { LOG_RULES, type LogRuleId } from "../src/index.ts";
import {
  A,
  B,
  C,
  anchor,
  auditor,
  brief,
  chained,
  complete,
  critic,
  dispatch,
  done,
  event,
  linesOf,
  pass,
  ready,
  resume,
  reviewed,
  start,
  verify,
  work,
  type Entry,
} from "./log-kit.ts";

/** Logs that break a rule at their last line, and logs that break none. */
interface Cases {
  readonly fires: Readonly<Record<string, readonly Entry[]>>;
  readonly abstains: Readonly<Record<string, readonly Entry[]>>;
}

const begun = [start(), dispatch()] as const;
const blocked = event("infrastructure_blocked", { reported_by: "dev", issue_type: "x", blocked_tasks: ["t1"] });
const remedy = event("remediation_dispatched", { agent_id: "rem" }, { agent: "rem" });
const health = (type: string, agent = "health"): Entry => event(type, { agent_id: agent }, { agent });
const compaction = (type: string, number: number, details: object = {}): Entry => event(type, { compaction_number: number, ...details });
const expert = (type: string, run_id: string): Entry => work(type, "expert", "t1", { run_id });
const restarted = (task = "t1"): Entry => event("task_restarted_on_resume", { previous_status: "implementing" }, { task });
const reverify = (task = "t1", details: object = {}, more: Partial<Entry> = {}): Entry =>
  event("task_reverification_required", details, { task, ...more });
const end = (total_tasks = 1): Entry => event("workflow_complete", { total_tasks });
const timeout = work("critic_timeout", "critic");
const seeks = work("agent_seeks_guidance", "dev");
const prays = work("coordinator_prays", "dev");
const answer = work("divine_response_received", "dev");
const resumes = work("agent_resumes_with_guidance", "dev");
const OTHER = `sha256:${"a".repeat(64)}`;
const UNSORTED = { z: 1, a: [{ y: 1, b: "ü\u2028" }], "2": 0, "10": 0 };
const analyst = (type: string): Entry => work(type, "ba");

const CASES: { readonly [Rule in Exclude<LogRuleId, "INVALID_JSON" | "TORN_LAST_LINE" | "INVALID_DETAILS">]: Cases } = {
  MISSING_FIELD: {
    fires: {
      "without a field": [start(), event("usage_check", {}, { line: { details: undefined } })],
      "with `event` in the place of `event_type`": [
        start(),
        event("usage_check", {}, { line: { event_type: undefined, event: "usage_check" } }),
      ],
      "without any field": [
        start(),
        event(
          "",
          {},
          {
            line: {
              timestamp: undefined,
              sequence: undefined,
              session_id: undefined,
              event_type: undefined,
              agent_id: undefined,
              task_id: undefined,
              details: undefined,
            },
          },
        ),
      ],
    },
    abstains: { "with agent and task that are null": [start()] },
  },
  INVALID_FIELD: {
    fires: {
      "with an agent that is a number": [start(), event("usage_check", {}, { line: { agent_id: 7 } })],
      "with a session that is no UUID": [event("session_start", {}, { session: "s1" })],
      "with two tasks": [start(), work("developer_dispatched", "dev", "t1", { task_id: "t2" })],
      "with a dispatch on no task": [start(), event("developer_dispatched", {}, { agent: "dev" })],
      "with a dispatch of nobody": [start(), event("developer_dispatched", {}, { task: "t1" })],
    },
    abstains: {
      "with a task in the details alone": [start(), event("developer_dispatched", { task_id: "t1" }, { agent: "dev" })],
      "with a run's event that names another task": [start(), event("tool_result", { task_id: "t2" }, { task: "t1" })],
    },
  },
  UNKNOWN_FIELD: {
    fires: { "with a field too many": [start(), event("usage_check", {}, { line: { note: "x" } })] },
    abstains: { "with a hash": [chained()] },
  },
  FIELD_ORDER: {
    fires: {
      "with the number first": [
        start(),
        event("usage_check", {}, { rewrite: (line) => line.replace(/^{(.*?),("sequence":2),/, "{$2,$1,") }),
      ],
    },
    abstains: { "in order": [start()] },
  },
  UNKNOWN_EVENT_TYPE: {
    fires: { "of a type that is misspelt": [start(), event("usage_chek")] },
    abstains: {
      "of a coordinator's type and a run's": [start(), event("usage_check"), event("tool_allowed", {}, { agent: "dev", task: "t1" })],
    },
  },
  FIRST_EVENT_NOT_SESSION: {
    fires: { "with work as the first event": [dispatch()], "with a run's event as the first": [event("tool_allowed")] },
    abstains: { "with a resume as the first event": [resume()] },
  },
  UNEXPECTED_SESSION_START: {
    fires: { twice: [start(), start()], "behind a resume": [resume(), start()] },
    abstains: { once: [start(), event("usage_check")] },
  },
  SEQUENCE_NOT_INCREASING: {
    fires: {
      "with a number twice": [start(), event("usage_check", {}, { line: { sequence: 1 } })],
      "with a number that falls": [start(), event("usage_check"), event("usage_check", {}, { line: { sequence: 1 } })],
    },
    abstains: { "with every number by one": [start(), event("usage_check"), event("usage_check")] },
  },
  SEQUENCE_GAP: {
    fires: {
      "with a number left out": [start(), event("usage_check", {}, { line: { sequence: 3 } })],
      "with a beginning that is missing": [event("session_start", {}, { line: { sequence: 2 } })],
    },
    abstains: { "with every number": [start(), event("usage_check")] },
  },
  TIMESTAMP_BACKWARDS: {
    fires: {
      "with a time before the last": [start(), event("usage_check", {}, { later: -1 })],
      "with a time before the last, by its zone": [start(), event("usage_check", {}, { line: { timestamp: "2026-01-17T09:30:00+02:00" } })],
    },
    abstains: {
      "with the same time": [start(), event("usage_check", {}, { later: 0 })],
      "with a later time that looks earlier": [start(), event("usage_check", {}, { line: { timestamp: "2026-01-17T08:30:00-02:00" } })],
    },
  },
  SESSION_ID_CHANGED: {
    fires: {
      "at any other event": [start(), event("usage_check", {}, { session: B })],
      "back to the session before": [start(), resume(), event("usage_check", {}, { session: A })],
    },
    abstains: { "at a resume": [start(), resume(), event("usage_check"), resume(B, C), event("usage_check")] },
  },
  PREVIOUS_SESSION_MISMATCH: {
    fires: {
      "of a resume from another session": [start(), resume(C)],
      "of a resume that does not say": [start(), event("session_resumed", {}, { session: B })],
      "of a second resume from the first session": [start(), resume(), resume(A, C)],
    },
    abstains: { "of a resume that is the first event": [resume(C)] },
  },
  TORN_LINE: {
    fires: { "as a writer left it that was killed": [chained(), event("log_anchor", {}, { rewrite: (line) => line.slice(0, 60) })] },
    abstains: { "of a log whose lines are whole": [chained(), event("usage_check")] },
  },
  HASH_MISMATCH: {
    fires: {
      "with details that were changed": [chained(), event("usage_check", { remaining: 5 }, { line: { details: { remaining: 6 } } })],
      "with a time that was changed": [chained(), event("usage_check", {}, { line: { timestamp: "2026-01-17T09:03:00.000Z" } })],
      "with an agent that was changed": [chained(), event("usage_check", {}, { line: { agent_id: "dev" } })],
      "with a type that was changed": [chained(), event("usage_check", {}, { line: { event_type: "compaction_start" } })],
      "with a hash that was changed": [chained(), event("usage_check", {}, { line: { hash: OTHER } })],
      "of the first event": [chained(event("session_start", {}, { line: { hash: OTHER } }))],
    },
    abstains: {
      "with every hash in its place": [chained(), event("usage_check", UNSORTED), event("usage_check")],
      "with fields in other white space": [chained(), event("usage_check", UNSORTED, { rewrite: (line) => line.replaceAll(',"', ', "') })],
      "without any hash": [start(), event("usage_check")],
    },
  },
  HASH_MISSING: {
    fires: {
      "in the middle": [chained(), event("usage_check", {}, { line: { hash: undefined } })],
      "up to there": [chained(event("session_start", {}, { line: { hash: undefined } })), event("usage_check")],
    },
    abstains: { "on no event": [start(), event("usage_check")] },
  },
  ANCHOR_MISMATCH: {
    fires: {
      "with another number": [chained(), event("usage_check"), anchor({ sequence: 1 })],
      "with a later number": [chained(), event("usage_check"), anchor({ sequence: 3 })],
      "with another link": [chained(), event("usage_check"), anchor({ hash: OTHER })],
      "without a link in a chained log": [chained(), anchor({ hash: undefined })],
      "with a link in a log without hashes": [start(), anchor({ hash: OTHER })],
      "in the place of an event": [chained(), event("usage_check"), event("log_anchor", {}, { line: { sequence: 3, hash: OTHER } })],
    },
    abstains: {
      "with number and link of the last event": [chained(), event("usage_check"), anchor(), event("usage_check")],
      "with the number of the last event, in a log without hashes": [start(), anchor(), event("usage_check")],
      "of a file that begins with it": [chained(event("session_start", {}, { rewrite: () => "" })), anchor(), event("usage_check")],
    },
  },
  DISPATCH_NOT_AVAILABLE: {
    fires: {
      "while another developer is at work": [...begun, dispatch()],
      "in review": [...begun, ready(), critic(), dispatch()],
      "while it awaits its audit": [start(), ...reviewed(), dispatch()],
      "with `resumed` that is not true": [...begun, dispatch("t1", { resumed: "true" })],
    },
    abstains: {
      "after the critic sent it back": [...begun, ready(), critic(), work("critic_fail", "critic"), dispatch()],
      "after the auditor sent it back": [start(), ...reviewed(), auditor(), work("auditor_fail", "auditor"), dispatch()],
      "of a developer that is resumed": [...begun, dispatch("t1", { resumed: true })],
      "after a dependency was missing": [
        ...begun,
        work("developer_incomplete", "dev", "t1", { blocker: "blocked_by_dependency" }),
        dispatch(),
      ],
      "after a restart": [...begun, resume(), restarted(), dispatch()],
      "of a task whose name is a key of every object": [start(), dispatch("__proto__"), dispatch("constructor")],
    },
  },
  TASK_ALREADY_COMPLETE: {
    fires: {
      "by a developer": [start(), ...done(), dispatch()],
      "by a developer that is resumed": [start(), ...done(), dispatch("t1", { resumed: true })],
      "by a critic": [start(), ...done(), critic()],
      "by a second completion": [start(), ...done(), complete()],
      "by a question": [start(), ...done(), seeks],
      "by an expert": [start(), ...done(), expert("expert_delegated", "r1")],
    },
    abstains: {
      "for another task": [start(2), ...done(), dispatch("t2")],
      "for a measure of usage": [start(), ...done(), event("usage_check")],
    },
  },
  READY_WITHOUT_DISPATCH: {
    fires: {
      "of a task that nobody works on": [start(), ready()],
      "of a task that was restarted": [...begun, resume(), restarted(), ready()],
      twice: [...begun, ready(), ready()],
      "with a report before any dispatch": [start(), work("developer_checkpoint", "dev")],
    },
    abstains: {
      "by the developer at work": [...begun, ready()],
      "after a rejected signal": [...begun, work("signal_rejected", "dev"), ready()],
      "after the critic sent it back": [...begun, ready(), critic(), work("critic_fail", "critic"), ready()],
      "after a late report": [...begun, ready(), work("developer_checkpoint", "dev"), critic()],
    },
  },
  REVIEW_OUT_OF_ORDER: {
    fires: {
      "with a critic before the developer is ready": [...begun, critic()],
      "with a verdict before the critic": [...begun, ready(), pass()],
      "with a second critic": [...begun, ready(), critic(), critic("t1", "critic-2")],
      "with a second verdict": [start(), ...reviewed(), pass()],
      "with a time-out of nobody": [...begun, ready(), timeout],
    },
    abstains: { "with another critic after a time-out": [...begun, ready(), critic(), timeout, critic("t1", "c2"), pass("t1", "c2")] },
  },
  AUDIT_BEFORE_REVIEW: {
    fires: {
      "of a task that nobody reviewed": [...begun, ready(), auditor()],
      "of a task that nobody implemented": [start(), auditor()],
      "after two time-outs": [...begun, ready(), critic(), timeout, critic(), timeout, auditor()],
      "of rework that passed before": [
        ...[start(), ...reviewed(), auditor(), work("auditor_fail", "auditor"), dispatch(), ready()],
        auditor(),
      ],
      "of rework, by time-outs of the review before": [
        ...[...begun, ready(), critic(), timeout, timeout, timeout, auditor(), work("auditor_fail", "auditor"), ready(), critic()],
        auditor(),
      ],
      "of a task that never was complete, as a re-verification": [...begun, resume(), reverify()],
      "of a task that nobody ever touched, as a re-verification": [start(), resume(), reverify()],
    },
    abstains: {
      "after three time-outs, each of another critic": [
        ...[...begun, ready(), critic(), timeout, critic(), timeout, critic(), timeout],
        ...[auditor(), complete(), end()],
      ],
      "after three time-outs of one critic": [...begun, ready(), critic(), timeout, timeout, timeout, auditor()],
      "by a second auditor, as no event tells that the first ran out of time": [
        start(),
        ...reviewed(),
        auditor(),
        auditor("t1", "a2"),
        complete("t1", "a2"),
      ],
      "after an auditor was blocked": [start(), ...reviewed(), auditor(), work("auditor_blocked", "auditor"), auditor()],
    },
  },
  COMPLETE_WITHOUT_AUDIT: {
    fires: {
      "after a review alone": [start(), ...reviewed(), complete()],
      "at once": [start(), complete()],
      "with an auditor's rejection before any auditor": [start(), ...reviewed(), work("auditor_fail", "auditor")],
      "by an auditor that was blocked": [start(), ...reviewed(), auditor(), work("auditor_blocked", "auditor"), complete()],
    },
    abstains: { "by the auditor": [start(), ...done()] },
  },
  AGENT_MISMATCH: {
    fires: {
      "of another critic": [...begun, ready(), critic(), pass("t1", "dev")],
      "of another auditor": [start(), ...reviewed(), auditor(), complete("t1", "dev")],
      "of another auditor in the envelope": [
        start(),
        ...reviewed(),
        auditor(),
        work("task_complete", "auditor", "t1", {}, { agent: "dev" }),
      ],
      "of another auditor in the details": [start(), ...reviewed(), auditor(), work("task_complete", "auditor", "t1", { agent_id: "dev" })],
      "of nobody": [start(), ...reviewed(), auditor(), event("task_complete", {}, { task: "t1" })],
      "of the first of two auditors": [start(), ...reviewed(), auditor(), auditor("t1", "a2"), complete()],
      "of the auditor of another task": [
        start(2),
        ...reviewed("t1"),
        ...reviewed("t2"),
        auditor("t1", "a1"),
        auditor("t2", "a2"),
        complete("t1", "a2"),
      ],
      "of another health auditor": [...begun, blocked, health("health_audit_dispatched"), health("health_audit_pass", "rem")],
      "of a health auditor that nobody dispatched": [...begun, blocked, health("health_audit_pass")],
    },
    abstains: {
      "of the critic, recorded for the coordinator": [
        ...begun,
        ready(),
        critic(),
        work("critic_pass", "critic", "t1", {}, { agent: null }),
      ],
      "of the auditor, named in the envelope alone": [
        start(),
        ...reviewed(),
        auditor(),
        event("task_complete", {}, { agent: "auditor", task: "t1" }),
      ],
    },
  },
  DISPATCH_WHILE_BLOCKED: {
    fires: {
      "of a developer": [start(2), dispatch(), blocked, dispatch("t2")],
      "of a developer that is resumed": [...begun, blocked, dispatch("t1", { resumed: true })],
      "of a critic": [...begun, ready(), blocked, critic()],
      "of an auditor": [start(), ...reviewed(), blocked, auditor()],
      "in another session": [...begun, blocked, resume(), restarted(), dispatch()],
    },
    abstains: {
      "after it was restored": [
        ...[...begun, blocked, remedy, health("health_audit_dispatched"), health("health_audit_pass")],
        ...[event("infrastructure_restored"), dispatch(), ready()],
      ],
      "after a developer's report alone": [start(2), dispatch(), work("developer_blocked", "dev"), dispatch("t2")],
      "of an agent that remedies it": [...begun, blocked, remedy],
    },
  },
  RESTORED_WITHOUT_HEALTH_PASS: {
    fires: {
      "after a remedy alone": [...begun, blocked, remedy, event("remediation_complete"), event("infrastructure_restored")],
      "after a failed audit": [
        ...begun,
        blocked,
        health("health_audit_dispatched"),
        health("health_audit_fail"),
        event("infrastructure_restored"),
      ],
      "with nothing blocked": [...begun, event("infrastructure_restored")],
      "by the audit of the trouble before": [
        ...[...begun, blocked, health("health_audit_dispatched"), health("health_audit_pass"), blocked],
        event("infrastructure_restored"),
      ],
      "by an audit before the trouble": [
        ...begun,
        health("health_audit_dispatched"),
        health("health_audit_pass"),
        blocked,
        event("infrastructure_restored"),
      ],
    },
    abstains: {
      "after a second audit": [
        ...[...begun, blocked, health("health_audit_dispatched"), health("health_audit_fail"), remedy],
        ...[health("health_audit_dispatched"), health("health_audit_pass"), event("infrastructure_restored")],
      ],
    },
  },
  GUIDANCE_OUT_OF_ORDER: {
    fires: {
      "with a prayer that nobody asked for": [...begun, prays],
      "with an answer before the prayer": [...begun, seeks, answer],
      "with an agent that goes on without an answer": [...begun, seeks, prays, resumes],
      "with a question while one is open": [...begun, seeks, seeks],
      "of another agent": [...begun, seeks, work("coordinator_prays", "dev-2")],
      "a second time after a developer could not finish": [...begun, work("developer_incomplete", "dev"), prays, answer, resumes, prays],
      "after an agent asked, which the coordinator did not do by itself": [
        ...[...begun, work("developer_incomplete", "dev"), seeks, prays, answer, resumes],
        prays,
      ],
      "about another task": [start(2), dispatch(), dispatch("t2"), seeks, work("coordinator_prays", "dev", "t2")],
      "with an agent that is ready while its question is open": [...begun, seeks, prays, ready()],
    },
    abstains: {
      "of two agents at once": [
        ...[start(2), dispatch(), work("developer_dispatched", "dev-2", "t2"), seeks, work("agent_seeks_guidance", "dev-2", "t2")],
        ...[prays, work("coordinator_prays", "dev-2", "t2"), answer, resumes, ready()],
      ],
      "twice, one after the other": [...begun, seeks, prays, answer, resumes, seeks, prays, answer, resumes],
      "of a developer that could not finish": [...begun, work("developer_incomplete", "dev"), prays, answer, resumes, ready()],
      "of the coordinator's own question": [start(), event("coordinator_prays"), event("divine_response_received")],
      "of an agent that was interrupted": [...begun, seeks, resume(), restarted(), dispatch(), seeks],
    },
  },
  UNKNOWN_RUN_ID: {
    fires: {
      "of a result that nobody delegated": [...begun, expert("expert_complete", "r1")],
      "of another run": [...begun, expert("expert_delegated", "r1"), expert("expert_failed", "r2")],
      "of a result without a run": [...begun, expert("expert_delegated", "r1"), work("expert_out_of_scope", "expert")],
      "of a second result": [...begun, expert("expert_delegated", "r1"), expert("expert_complete", "r1"), expert("expert_complete", "r1")],
    },
    abstains: {
      "of results in another order": [
        ...[...begun, expert("expert_delegated", "r1"), expert("expert_delegated", "r2")],
        ...[expert("expert_out_of_scope", "r2"), expert("expert_complete", "r1")],
      ],
    },
  },
  BA_OUT_OF_ORDER: {
    fires: {
      "of a task that no analyst works on": [start(), analyst("task_expanded")],
      "with a question before the analyst": [start(), analyst("expansion_needs_clarification")],
      "of another task": [start(2), analyst("business_analyst_dispatched"), work("task_expanded", "ba", "t2")],
      twice: [start(), analyst("business_analyst_dispatched"), analyst("task_expanded"), analyst("task_expanded")],
    },
    abstains: {
      "after a clarification": [
        ...[start(), analyst("business_analyst_dispatched"), analyst("expansion_needs_clarification")],
        ...[work("coordinator_prays", "ba"), work("divine_response_received", "ba"), analyst("task_expanded"), dispatch()],
      ],
    },
  },
  COMPACTION_OUT_OF_ORDER: {
    fires: {
      "with an end before the beginning": [start(), compaction("compaction_complete", 1)],
      "with an end of another": [start(), compaction("compaction_start", 1), compaction("compaction_complete", 2, { full_reload: true })],
      "with a second end": [
        start(),
        compaction("compaction_start", 1),
        compaction("compaction_complete", 1),
        compaction("compaction_complete", 1),
      ],
    },
    abstains: { "in order": [start(), compaction("compaction_start", 1), compaction("compaction_complete", 1, { full_reload: false })] },
  },
  COMPACTION_RELOAD_PARITY: {
    fires: {
      "with a full reload at the first": [
        start(),
        compaction("compaction_start", 1),
        compaction("compaction_complete", 1, { full_reload: true }),
      ],
      "without a full reload at the second": [
        start(),
        compaction("compaction_start", 2),
        compaction("compaction_complete", 2, { full_reload: false }),
      ],
    },
    abstains: {
      "with a full reload at the second": [
        start(),
        compaction("compaction_start", 2),
        compaction("compaction_complete", 2, { full_reload: true }),
      ],
    },
  },
  RESTART_NOT_IN_PROGRESS: {
    fires: {
      "of a complete task": [start(), ...done(), resume(), restarted()],
      "of a task that nobody began": [start(), resume(), restarted()],
      twice: [...begun, resume(), restarted(), restarted()],
    },
    abstains: {
      "of tasks in progress and awaiting their audit": [start(2), dispatch(), ...reviewed("t2"), resume(), restarted(), restarted("t2")],
      "of a task that an earlier log began": [resume(), restarted(), dispatch()],
    },
  },
  REVERIFICATION_WINDOW: {
    fires: {
      "61 minutes before the last event": [start(), ...done(), event("session_pause", {}, { later: 61 }), resume(), reverify()],
      "61 minutes before, whatever the details say": [
        ...[start(), ...done(), event("session_pause", {}, { later: 61 }), resume()],
        reverify("t1", { completed_at: "2026-01-17T10:07:00Z", time_since_completion_minutes: 1 }),
      ],
      "61 minutes before, in a log that began elsewhere": [
        resume(),
        reverify("t1", { completed_at: "2026-01-17T07:00:00Z", last_event_time: "2026-01-17T08:01:00Z" }),
      ],
    },
    abstains: {
      "60 minutes before the last event": [start(), ...done(), event("session_pause", {}, { later: 60 }), resume(), reverify()],
      "long before the resume, which is no event of the session": [start(), ...done(), resume(A, B, { later: 600 }), reverify()],
      "after a second crash": [
        ...[start(), ...done(), resume(), reverify(), auditor(), resume(B, C, { later: 600 })],
        ...[reverify(), auditor(), complete(), end()],
      ],
    },
  },
  EVENT_AFTER_TERMINAL: {
    fires: {
      "behind the end": [start(), ...done(), end(), event("usage_check")],
      "behind a failure": [...begun, event("workflow_failed"), event("usage_check")],
      "by another end": [start(), ...done(), end(), end()],
      "by what a run writes": [start(), ...done(), end(), event("tool_allowed", {}, { agent: "dev" })],
    },
    abstains: { "at the end": [start(), ...done(), end()], "at a failure in the middle of work": [...begun, event("workflow_failed")] },
  },
  COMPLETE_COUNT_MISMATCH: {
    fires: {
      "with fewer tasks": [start(2), ...done(), end(2)],
      "with fewer tasks than the plan had, whatever the end says": [start(2), ...done(), end(1)],
      "with more tasks": [start(1), ...done(), ...done("t2"), end(1)],
      "with a task that is audited again": [start(), ...done(), resume(), reverify(), end()],
    },
    abstains: {
      "with every task": [start(2), ...done(), ...done("t2"), end(2)],
      "with a plan that grew at a resume": [start(1), ...done(), resume(), ...done("t2"), end(2)],
      "with a task that an earlier log began": [
        event("session_resumed", { completed_tasks_count: 1 }),
        restarted("t2"),
        ...done("t2"),
        end(2),
      ],
      "with tasks that an earlier log completed": [
        event("session_resumed", { completed_tasks_count: 2 }),
        reverify("t1", { completed_at: "2026-01-17T08:50:00Z", last_event_time: "2026-01-17T08:59:00Z" }),
        ...[auditor(), complete(), ...done("t3"), end(3)],
      ],
    },
  },
};

const rows = (kind: keyof Cases): readonly (readonly [rule: string, name: string, entries: readonly Entry[]])[] =>
  Object.entries(CASES).flatMap(([rule, cases]) => Object.entries(cases[kind]).map(([name, entries]) => [rule, name, entries] as const));

describe("every rule", () => {
  it("has logs that break it and logs that do not, but for those about lines and the strict catalogue", () => {
    const elsewhere = ["INVALID_JSON", "TORN_LAST_LINE", "INVALID_DETAILS"];
    expect([...Object.keys(CASES), ...elsewhere].sort()).toEqual(Object.keys(LOG_RULES).sort());
  });

  it.each(rows("fires"))("%s is found: %s", (rule, _, entries) => {
    const found = verify(linesOf(entries));
    expect(brief(found)).toEqual([`${entries.length} ${rule}`]);
    expect(found[0]?.severity).toBe(LOG_RULES[rule as LogRuleId].severity);
    expect(found[0]?.message).toMatch(/^Unexpected [^\n]+, expected [^\n]*[^.\n]$/);
  });

  it.each(rows("abstains"))("%s is not found: %s", (_, __, entries) => {
    expect(brief(verify(linesOf(entries)))).toEqual([]);
  });
});
