import type { CallFacts } from "../match/call-facts.ts";
import type { RunState } from "../match/run-state.ts";
import type { MarkReference } from "./mark-reference.ts";
import type { MarkEntry, MarkState, MarksState } from "./mark-state.ts";
import type { MarkSet } from "./mark-set.ts";
import { setEarlierMarks, type EarlierMarks } from "./earlier-marks.ts";

/** The name of the projection that holds the marks of a run. */
export const MARKS_PROJECTION = "@bylaw/plugin-policy/marks";

/** Attaches the marks of the run to the facts of a call. Returns the facts. */
export function inRun(
  facts: CallFacts,
  set: MarkSet | undefined,
  run: RunState | undefined,
): CallFacts {
  if (set !== undefined) setEarlierMarks(facts, new RunMarks(set, facts, run));
  return facts;
}

/** The marks of a run before one call. */
class RunMarks implements EarlierMarks {
  readonly recorded: boolean;
  readonly #set: MarkSet;
  readonly #whole: CallFacts;
  readonly #run: RunState | undefined;
  #state: MarksState | undefined = undefined;
  #now: number | undefined = undefined;
  #together: ReadonlyMap<number, number> | undefined = undefined;
  #own: { readonly facts: CallFacts; readonly marks: ReadonlySet<number> } | undefined = undefined;

  constructor(set: MarkSet, whole: CallFacts, run: RunState | undefined) {
    this.recorded = run?.recorded === true;
    this.#set = set;
    this.#whole = whole;
    this.#run = run;
  }

  statesOf(keys: readonly string[]): readonly (MarkState | undefined)[] {
    return this.#set.placesOf(keys).map((place) => this.#stateAt(place));
  }

  mayBe(keys: readonly string[], reference: MarkReference, facts: CallFacts): boolean {
    for (const place of this.#set.placesOf(keys)) {
      const before = this.#counted(this.#stateAt(place)?.may, reference);
      if (before >= reference.times || before + this.#others(place, facts) >= reference.times)
        return true;
    }
    return false;
  }

  isSure(keys: readonly string[], reference: MarkReference): boolean {
    const { times, within } = reference;
    // The age of an entry is unknown if the call has no time, so nothing is certain.
    if (!this.recorded || (within !== undefined && Number.isNaN(this.#time()))) return false;
    for (const place of this.#set.placesOf(keys))
      if (this.#counted(this.#stateAt(place)?.sure, reference) >= times) return true;
    return false;
  }

  #stateAt(place: number): MarkState | undefined {
    return (this.#state ??= this.#read()).marks[place];
  }

  // How many other commands of the line may set the mark.
  #others(place: number, facts: CallFacts): number {
    const { line } = this.#whole;
    const first = line?.parts[0];
    if (line === null || first === undefined || (line.parts.length === 1 && first.times === 1))
      return 0;
    this.#together ??= new Map(this.#set.setBy(this.#whole).may);
    const all = this.#together.get(place) ?? 0;
    if (all === 0) return 0;
    if (this.#own?.facts !== facts)
      this.#own = { facts, marks: this.#set.setByCommand(facts, line.unknown) };
    return this.#own.marks.has(place) ? all - 1 : all;
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
