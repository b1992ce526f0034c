/** A call that set or cleared a mark. */
export interface MarkEntry {
  /** The sequence number of the call's event. */
  readonly event: number;
  /** The time of the event, in milliseconds since 1970. */
  readonly at: number;
  /** A short description of the call. */
  readonly call: string;
}

/** The state of a mark in a run. In each list, the newest entry is last. */
export interface MarkState {
  /** Calls that may have set the mark. */
  readonly may: readonly MarkEntry[];
  /** Calls that certainly set the mark. */
  readonly sure: readonly MarkEntry[];
  /** Calls that will certainly have set the mark if their result is good. */
  readonly waiting: readonly MarkEntry[];
  /** The call or event that last cleared the mark. */
  readonly cleared?: MarkEntry;
}

/** A call whose result can change a mark. */
interface OpenCall {
  readonly id: string;
  readonly tool: string;
  /** Whether a person had to approve the call. Then only its result proves that it ran. */
  readonly asked: boolean;
  /** Whether another open call had the same id. Then a result may belong to either call and proves nothing. */
  readonly shared?: boolean;
  readonly marks: SetMarks;
  readonly entry: MarkEntry;
}

/** The marks of a run, and the calls whose results may still change them. Plain data. */
export interface MarksState {
  /** One state per mark, in the order of the definitions. */
  readonly marks: readonly MarkState[];
  readonly open: readonly OpenCall[];
}

/** The marks that a call sets, as indexes into the list of marks. */
export interface SetMarks {
  /** Marks that the call may set, each with the number of its commands that may set it. */
  readonly may: readonly (readonly [mark: number, times: number])[];
  readonly sure: readonly number[];
}

/** How events change a mark. */
export interface MarkRules {
  readonly passed: boolean;
  /** Whether the mark is about commands. Their result is good only with exit code 0. */
  readonly ofCommands: boolean;
  /** The indexes of the marks that this mark clears. */
  readonly clears: readonly number[];
  /** How many entries to keep: the largest number of times that a rule asks about. */
  readonly kept: number;
}

/** The decision about a call, as read from the log. */
export interface MarkedCall {
  readonly id: string | undefined;
  readonly tool: string;
  readonly asked: boolean;
  readonly marks: SetMarks;
  readonly entry: MarkEntry;
}

/** The result of a call, as read from the log. */
export interface CallResult {
  readonly id: string;
  readonly tool: string;
  /** Whether the call succeeded. `false` also for an exit code other than 0. */
  readonly ok: boolean;
  /** Whether the exit code is known. A tool that runs a command may succeed although the command failed. */
  readonly exited: boolean;
  /** Whether the agent itself reported the result. */
  readonly reported: boolean;
  readonly entry: MarkEntry;
}

/** The state after a second call with the same id. */
interface Reused {
  /** The state without the earlier calls that have this id. */
  readonly rest: MarksState;
  /** Earlier calls that waited for a person's approval. It may still be given, so each call may have run. */
  readonly unanswered: readonly OpenCall[];
  /** Whether an earlier call may still return under this id. */
  readonly shared: boolean;
}

/** The most calls that may wait for their results at a time. */
const OPEN = 256;

const UNSET: MarkState = { may: [], sure: [], waiting: [] };

/** Applies calls and results to the state of all marks. Each method returns its `state` argument if nothing changes. */
export class MarkFold {
  readonly initial: MarksState;
  readonly #rules: readonly MarkRules[];

  constructor(rules: readonly MarkRules[]) {
    this.#rules = rules;
    this.initial = { marks: rules.map(() => UNSET), open: [] };
  }

  /** Applies the decision about a call. */
  decided(state: MarksState, call: MarkedCall): MarksState {
    const { id, tool, asked, marks, entry } = call;
    const { rest, unanswered, shared } = this.#reused(state, call);
    const changed = unanswered.reduce(
      (before, one) => this.#ran(before, possible(one), { ...one.entry, at: entry.at }),
      asked ? rest : this.#ran(rest, marks, entry),
    );
    if (id === undefined || !marks.may.some(([mark]) => asked || this.#needsResult(mark)))
      return changed;
    const open = { id, tool, asked, marks, entry, ...(shared ? { shared } : {}) };
    return this.#bounded({ ...changed, open: [...changed.open, open] }, entry.at);
  }

  /** Applies the result of a call. */
  returned(state: MarksState, result: CallResult): MarksState {
    const call = state.open.find(({ id, tool }) => id === result.id && tool === result.tool);
    if (call === undefined) return state;
    const { asked, marks, entry, shared = false } = call;
    const reported = result.reported || shared;
    const certain = reported ? possible(call) : marks;
    // The call ran at an unknown time before its result.
    const ran = { ...entry, at: result.entry.at };
    const started = asked ? this.#ran(state, certain, ran) : state;
    const next = started.marks.slice();
    for (const [mark] of marks.may) {
      this.#judge(next, mark, entry, { ...result, reported });
      // A call may make its changes at any time until it returns.
      for (const cleared of this.#clearedBy(mark)) clearSure(next, cleared, result.entry);
    }
    return { marks: next, open: state.open.filter((one) => one !== call) };
  }

  /** Applies that a person cleared marks. */
  cleared(state: MarksState, marks: readonly number[], entry: MarkEntry): MarksState {
    if (marks.length === 0) return state;
    const next = state.marks.slice();
    for (const mark of marks) next[mark] = { ...UNSET, cleared: entry };
    return { ...state, marks: next };
  }

  // The order of the commands within one call is unknown. Clear certain marks first and add possible ones last.
  #ran(state: MarksState, { may, sure }: SetMarks, entry: MarkEntry): MarksState {
    if (may.length === 0) return state;
    const next = state.marks.slice();
    for (const mark of sure) {
      const { passed, kept } = this.#ruleOf(mark);
      const now = stateIn(next, mark);
      next[mark] = passed
        ? { ...now, waiting: [...now.waiting, entry].slice(-OPEN) }
        : { ...now, sure: [...now.sure, entry].slice(-kept) };
      if (!passed) for (const cleared of this.#clearedBy(mark)) clearMay(next, cleared, entry);
    }
    for (const [mark] of may)
      for (const cleared of this.#clearedBy(mark)) clearSure(next, cleared, entry);
    for (const [mark, times] of may) {
      const { passed, kept } = this.#ruleOf(mark);
      const now = stateIn(next, mark);
      const added = Array.from({ length: Math.min(times, kept) }, () => entry);
      // A result may still remove an entry, so such entries must not push out older ones.
      next[mark] = { ...now, may: [...now.may, ...added].slice(passed ? -kept - OPEN : -kept) };
    }
    return { ...state, marks: next };
  }

  // Only a result that the host saw sets or removes a mark. After a result reported by the agent, the mark stays possible.
  #judge(next: MarkState[], mark: number, entry: MarkEntry, result: CallResult): void {
    const { passed, kept, ofCommands } = this.#ruleOf(mark);
    if (!passed || result.reported) return;
    const now = stateIn(next, mark);
    const isOther = (one: MarkEntry): boolean => one.event !== entry.event;
    const waiting = now.waiting.filter(isOther);
    if (!result.ok) next[mark] = { ...now, waiting, may: now.may.filter(isOther) };
    else if (ofCommands && !result.exited) next[mark] = { ...now, waiting };
    else if (waiting.length < now.waiting.length) {
      next[mark] = { ...now, waiting, sure: [...now.sure, entry].slice(-kept) };
      for (const cleared of this.#clearedBy(mark)) clearMay(next, cleared, result.entry);
    }
  }

  // If two open calls share an id, a result may belong to either. But an equal call after a question is the approved call.
  #reused(state: MarksState, { id, tool, marks: own }: MarkedCall): Reused {
    const twice = state.open.filter((one) => one.id === id);
    if (twice.length === 0) return { rest: state, unanswered: twice, shared: false };
    const events = new Set(twice.map(({ entry }) => entry.event));
    const marks = state.marks.map((mark) =>
      mark.waiting.some(({ event }) => events.has(event))
        ? { ...mark, waiting: mark.waiting.filter(({ event }) => !events.has(event)) }
        : mark,
    );
    const others = twice.filter(
      (one) => !one.asked || one.tool !== tool || !isEqual(one.marks, own),
    );
    return {
      rest: { marks, open: state.open.filter((one) => one.id !== id) },
      unanswered: others.filter(({ asked }) => asked),
      shared: others.length > 0,
    };
  }

  // A person may have approved the call that is dropped.
  #bounded(state: MarksState, at: number): MarksState {
    const [oldest] = state.open;
    if (state.open.length <= OPEN || oldest === undefined) return state;
    const rest = { ...state, open: state.open.slice(1) };
    return oldest.asked ? this.#ran(rest, possible(oldest), { ...oldest.entry, at }) : rest;
  }

  #needsResult(mark: number): boolean {
    const { passed, clears } = this.#ruleOf(mark);
    return passed || clears.length > 0;
  }

  #clearedBy(mark: number): readonly number[] {
    return this.#ruleOf(mark).clears;
  }

  #ruleOf(mark: number): MarkRules {
    return this.#rules[mark] ?? { passed: false, ofCommands: false, clears: [], kept: 1 };
  }
}

const stateIn = (marks: readonly MarkState[], mark: number): MarkState => marks[mark] ?? UNSET;

function clearSure(marks: MarkState[], mark: number, cleared: MarkEntry): void {
  const now = stateIn(marks, mark);
  if (now.sure.length + now.waiting.length > 0)
    marks[mark] = { ...now, sure: [], waiting: [], cleared };
}

function clearMay(marks: MarkState[], mark: number, cleared: MarkEntry): void {
  const now = stateIn(marks, mark);
  if (now.may.length > 0) marks[mark] = { ...now, may: [], cleared };
}

const possible = ({ marks }: OpenCall): SetMarks => ({ ...marks, sure: [] });

const isEqual = (a: SetMarks, b: SetMarks): boolean => JSON.stringify(a) === JSON.stringify(b);
