/** A call that set or cleared a mark. */
export interface MarkEntry {
  /** The sequence of the event of the call. */
  readonly event: number;
  /** The time of the event, in milliseconds since 1970. */
  readonly at: number;
  /** The call in a few words. */
  readonly call: string;
}

/** How a mark stands in a run. Lists have the newest entry last. */
export interface MarkState {
  /** Calls that may have set it. */
  readonly may: readonly MarkEntry[];
  /** Calls that have set it for certain. */
  readonly sure: readonly MarkEntry[];
  /** Calls that set it for certain if their result is good. */
  readonly waiting: readonly MarkEntry[];
  /** What cleared it last. */
  readonly cleared?: MarkEntry;
}

/** A call whose result matters. */
interface OpenCall {
  readonly id: string;
  readonly tool: string;
  /** It needed a person's yes, so only its result shows that it ran. */
  readonly asked: boolean;
  /** Another call was open under its id, so the result may be that of the other and proves nothing. */
  readonly shared?: boolean;
  readonly marks: SetMarks;
  readonly entry: MarkEntry;
}

/** The marks of a run, and the calls that may still change them. Plain data. */
export interface MarksState {
  /** In the order of the definitions. */
  readonly marks: readonly MarkState[];
  readonly open: readonly OpenCall[];
}

/** The marks that a call sets, by their place among the definitions. */
export interface SetMarks {
  /** Those that it may set, with the number of commands that do. */
  readonly may: readonly (readonly [mark: number, times: number])[];
  readonly sure: readonly number[];
}

/** How the fold treats a mark. */
export interface MarkRules {
  readonly passed: boolean;
  /** It is about commands, whose result is good only with an exit code of 0. */
  readonly ofCommands: boolean;
  /** The marks that this one clears. */
  readonly clears: readonly number[];
  /** How many entries rules can ask about. */
  readonly kept: number;
}

/** A decision about a call, as the log has it. */
export interface MarkedCall {
  readonly id: string | undefined;
  readonly tool: string;
  readonly asked: boolean;
  readonly marks: SetMarks;
  readonly entry: MarkEntry;
}

/** The result of a call, as the log has it. */
export interface CallResult {
  readonly id: string;
  readonly tool: string;
  /** `false` also for another exit code than 0. */
  readonly ok: boolean;
  /** Whether an exit code is known. A tool that runs a command may return well although the command failed. */
  readonly exited: boolean;
  /** The result is an agent's own word. */
  readonly reported: boolean;
  readonly entry: MarkEntry;
}

/** The state after a call id came a second time. */
interface Reused {
  /** The state without the earlier calls of that id. */
  readonly rest: MarksState;
  /** Earlier calls that only a person may allow. The answer may come later, so each may have run. */
  readonly unanswered: readonly OpenCall[];
  /** Another call may still return under that id. */
  readonly shared: boolean;
}

/** The most calls that are remembered until their results arrive. */
const OPEN = 256;

const UNSET: MarkState = { may: [], sure: [], waiting: [] };

/** Folds calls and results into marks. Each method returns the state that it was given where nothing changes. */
export class MarkFold {
  readonly initial: MarksState;
  readonly #rules: readonly MarkRules[];

  constructor(rules: readonly MarkRules[]) {
    this.#rules = rules;
    this.initial = { marks: rules.map(() => UNSET), open: [] };
  }

  /** A call was decided about. */
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

  /** A call returned. */
  returned(state: MarksState, result: CallResult): MarksState {
    const call = state.open.find(({ id, tool }) => id === result.id && tool === result.tool);
    if (call === undefined) return state;
    const { asked, marks, entry, shared = false } = call;
    const reported = result.reported || shared;
    const certain = reported ? possible(call) : marks;
    // It ran some time before its result.
    const ran = { ...entry, at: result.entry.at };
    const started = asked ? this.#ran(state, certain, ran) : state;
    const next = started.marks.slice();
    for (const [mark] of marks.may) {
      this.#judge(next, mark, entry, { ...result, reported });
      // Whatever a call changes has changed when it returns.
      for (const cleared of this.#clearedBy(mark)) clearSure(next, cleared, result.entry);
    }
    return { marks: next, open: state.open.filter((one) => one !== call) };
  }

  /** A person cleared marks. */
  cleared(state: MarksState, marks: readonly number[], entry: MarkEntry): MarksState {
    if (marks.length === 0) return state;
    const next = state.marks.slice();
    for (const mark of marks) next[mark] = { ...UNSET, cleared: entry };
    return { ...state, marks: next };
  }

  // The order within one call is unknown, so clear certain marks and set possible ones last.
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
      // Entries with open results may be removed again, so they must not push out others.
      next[mark] = { ...now, may: [...now.may, ...added].slice(passed ? -kept - OPEN : -kept) };
    }
    return { ...state, marks: next };
  }

  // A result that the host saw can set or remove a mark. An agent's own word only leaves it possible.
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

  // If two calls share an id, a result may belong to either. An equal call after a question is the approved one.
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

  // A dropped question may have been answered with yes.
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
