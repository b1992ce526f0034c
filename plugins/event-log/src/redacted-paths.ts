/** One path of the options, part by part: a key, `*` for any one, `**` for any number. Case does not matter. */
type Path = readonly string[];

/** Where in the details of an event a value stands, as far as paths care. */
export interface Place {
  /** The place of a member. */
  in(key: string): Place;
  /** Whether a path names this very value. */
  readonly named: boolean;
}

/** Fields of an event that a run goes by: no path reaches them. */
const OF_THE_RUN: ReadonlySet<string> = new Set(
  [
    "decision",
    "to",
    "from",
    "id",
    "tool",
    "server",
    "phase",
    "digest",
    "policy",
    "by",
    "expires_at",
    "agent_id",
    "task_id",
    "session_id",
  ].concat(["previous_session_id", "previous_file", "run_id", "redacted"]),
);

/** Whether a field at the top of the details is left as it is, whatever paths say. */
export const isOfTheRun = (field: string): boolean => OF_THE_RUN.has(field);

/** What is wrong with a path, if anything. */
export function pathFault(path: string): string | undefined {
  const parts = partsOf(path);
  if (parts.some((part) => part === "")) return "an empty part";
  if (parts.every((part) => part === "*" || part === "**")) return "no key";
  const [top = ""] = parts;
  return isOfTheRun(top) ? `\`${top}\`, which the run needs` : undefined;
}

/** The place of the details themselves. */
export function placeOf(paths: readonly string[]): Place {
  const parsed = paths.map(partsOf);
  const simple = parsed.filter(isAnywhere);
  // By far the most common kind costs one look, however many there are.
  const anywhere = new Set(simple.map(([, key]) => key));
  const others = parsed.filter((path) => !isAnywhere(path));
  const place = (states: readonly Path[], named: boolean): Place => ({
    named,
    in(key) {
      const folded = key.toLowerCase();
      const next = states.flatMap((state) => after(state, folded));
      const hit = anywhere.has(folded) || next.some((state) => state.length === 0);
      return next.length > 0 ? place(next, hit) : hit ? only.named : only.nothing;
    },
  });
  // Where no longer path leads there is nothing to tell apart.
  const only = { named: place([], true), nothing: place([], false) };
  return place(others, false);
}

/** Where no path leads. */
export const NOWHERE: Place = { named: false, in: () => NOWHERE };

const isAnywhere = (path: Path): boolean =>
  path.length === 2 && path[0] === "**" && path[1] !== "*" && path[1] !== "**";

// What is left of a path behind one key; more than one where `**` can stand for less or more.
function after(path: Path, key: string): readonly Path[] {
  const [part, ...rest] = path;
  if (part === undefined) return [];
  if (part === "**") return [path, ...after(rest, key)];
  return part === "*" || part === key ? [rest] : [];
}

// A dot in a key is written `\.`.
const partsOf = (path: string): Path =>
  path
    .toLowerCase()
    .split(/(?<!\\)\./)
    .map((part) => part.replaceAll("\\.", "."));
