/** One path of the options, split into parts: a key, `*` for any one, `**` for any number. Case does not matter. */
type Path = readonly string[];

/** The place of a value in the details of an event, as far as paths distinguish it. */
export interface Place {
  /** The place of a member. */
  in(key: string): Place;
  /** Whether a path names exactly this value. */
  readonly named: boolean;
}

/** Fields of an event that the run itself reads: no path may redact them. */
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

/** Whether a top-level field of the details is kept unchanged, whatever the paths say. */
export const isOfTheRun = (field: string): boolean => OF_THE_RUN.has(field);

/** The fault of a path, if any. */
export function pathFault(path: string): string | undefined {
  const parts = partsOf(path);
  if (parts.some((part) => part === "")) return "an empty part";
  if (parts.every((part) => part === "*" || part === "**")) return "no key";
  const [top = ""] = parts;
  return isOfTheRun(top) ? `\`${top}\`, which the run needs` : undefined;
}

/** The place of the whole details. */
export function placeOf(paths: readonly string[]): Place {
  const parsed = paths.map(partsOf);
  const simple = parsed.filter(isAnywhere);
  // Paths such as `**.key` are by far the most common, and cost one lookup however many there are.
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
  // Below this point only the last key matters, so two places suffice.
  const only = { named: place([], true), nothing: place([], false) };
  return place(others, false);
}

/** A place that no path reaches. */
export const NOWHERE: Place = { named: false, in: () => NOWHERE };

const isAnywhere = (path: Path): boolean =>
  path.length === 2 && path[0] === "**" && path[1] !== "*" && path[1] !== "**";

// The rest of a path after one key; several if `**` can stand for less or more.
function after(path: Path, key: string): readonly Path[] {
  const [part, ...rest] = path;
  if (part === undefined) return [];
  if (part === "**") return [path, ...after(rest, key)];
  return part === "*" || part === key ? [rest] : [];
}

// A dot within a key is written `\.`.
const partsOf = (path: string): Path =>
  path
    .toLowerCase()
    .split(/(?<!\\)\./)
    .map((part) => part.replaceAll("\\.", "."));
