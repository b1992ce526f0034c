import type { CallFacts } from "../match/call-facts.ts";
import type { RunState } from "../match/run-state.ts";
import type { MarkReference } from "./mark-reference.ts";
import type { MarkEntry, MarkState, MarksState } from "./mark-state.ts";
import type { MarkSet } from "./mark-set.ts";
import { setPast, type Past } from "./past-contract.ts";

/** The name of the projection that holds the marks of a run. */
export const MARKS_PROJECTION = "@bylaw/plugin-policy/marks";

/** Attaches the marks of the run to the facts of a call. Returns the facts. */
export function inRun(
  facts: CallFacts,
  set: MarkSet | undefined,
  run: RunState | undefined,
): CallFacts {
  if (set !== undefined) setPast(facts, new RunPast(set, facts, run));
  return facts;
}

/** The marks of a run before one call. */
class RunPast implements Past {
  readonly recorded: boolean;
  readonly #set: MarkSet;
  readonly #whole: CallFacts;
  readonly #run: RunState | undefined;
  #state: MarksState | undefined = undefined;
  #now: number | undefined = undefined;
  #together: ReadonlyMap<number, number> | undefined = undefined;

  constructor(set: MarkSet, whole: CallFacts, run: RunState | undefined) {
    this.recorded = run?.recorded === true;
    this.#set = set;
    this.#whole = whole;
    this.#run = run;
  }

  stateOf(key: string): MarkState | undefined {
    const place = this.#set.placeOf(key);
    return place === undefined ? undefined : (this.#state ??= this.#read()).marks[place];
  }

  mayBe(key: string, reference: MarkReference, facts: CallFacts): boolean {
    const before = this.#counted(this.stateOf(key)?.may, reference);
    return before >= reference.times || before + this.#others(key, facts) >= reference.times;
  }

  isSure(key: string, reference: MarkReference): boolean {
    const { within } = reference;
    // The age of an entry is unknown if the call has no time, so nothing is certain.
    if (!this.recorded || (within !== undefined && Number.isNaN(this.#time()))) return false;
    return this.#counted(this.stateOf(key)?.sure, reference) >= reference.times;
  }

  // How many other commands of the line may set the mark.
  #others(key: string, facts: CallFacts): number {
    const { line } = this.#whole;
    const [only, ...more] = line?.parts ?? [];
    if (line === null || only === undefined || (more.length === 0 && only.times === 1)) return 0;
    const place = this.#set.placeOf(key);
    if (place === undefined) return 0;
    this.#together ??= new Map(this.#set.setBy(this.#whole).may);
    const all = this.#together.get(place) ?? 0;
    return all > 0 && this.#set.setByCommand(facts, line.unknown).has(place) ? all - 1 : all;
  }

  #read(): MarksState {
    return this.#run === undefined
      ? this.#set.fold.initial
      : (this.#run.stateOf(MARKS_PROJECTION) as MarksState);
  }

  #counted(entries: readonly MarkEntry[] | undefined, { within }: MarkReference): number {
    if (entries === undefined || entries.length === 0) return 0;
    if (within === undefined) return entries.length;
    const since = this.#time() - within;
    return entries.filter(({ at }) => !(at < since)).length;
  }

  #time(): number {
    return (this.#now ??= Date.parse(this.#whole.call.at ?? ""));
  }
}
