import type { EffectName } from "@bylaw/shell";
import type { CallFacts } from "../match/call-facts.ts";
import { coverable } from "./rule-parts.ts";
import { coversOpen } from "../match/command-words.ts";
import type { PathFact } from "../paths/path-facts.ts";
import type { Place } from "../paths/place.ts";

type Names = ReadonlySet<EffectName>;

/** The effects that change files, inside the workspace or outside. */
export const FILE_CHANGES: readonly EffectName[] = ["writes", "moves", "deletes", "delete-below"];

/** The effects that depend on where the workspace is. */
export const OUTSIDE: readonly EffectName[] = ["writes-outside", "runs-outside"];

/**
 * Whether every effect of a command is listed and none is unknown. Without `writes-outside`, the command may change
 * only files inside the workspace, and without `runs-outside` run only those.
 */
export function effectsAllow(listed: Names, facts: CallFacts): boolean {
  const part = coverable(facts);
  if (part?.clear !== true || !coversOpen(part.words)) return false;
  const { names, possible } = part.named;
  for (const name of names) if (!listed.has(name)) return false;
  for (const name of possible) if (!listed.has(name)) return false;
  return (
    (listed.has("runs-outside") || !runsOutside(facts)) &&
    (listed.has("writes-outside") || !changesFiles(facts) || staysInside(facts))
  );
}

/** Whether a command certainly has one of the listed effects. */
export function effectsDeny(listed: Names, facts: CallFacts): boolean {
  const { part } = facts;
  if (part === null) return false;
  return (
    listsAny(listed, part.named.names) ||
    (listed.has("writes-outside") && leaves(facts)) ||
    (listed.has("runs-outside") && runsOutside(facts))
  );
}

/** Whether a command may have one of the listed effects, depending on unknown words or paths. */
export function effectsMayDeny(listed: Names, facts: CallFacts): boolean {
  const { part } = facts;
  if (part === null) return false;
  if (listsAny(listed, part.named.possible)) return true;
  return listed.has("writes-outside") && changesFiles(facts) && !staysInside(facts);
}

function listsAny(listed: Names, names: Names): boolean {
  for (const name of names) if (listed.has(name)) return true;
  return false;
}

// Includes redirections and operands that are written, whatever the table says about the program.
function changesFiles({ part }: CallFacts): boolean {
  if (part === null) return false;
  const { names, possible } = part.named;
  return (
    FILE_CHANGES.some((name) => names.has(name) || possible.has(name)) ||
    part.effects.some(({ kind }) => kind === "write" || kind === "delete")
  );
}

/** Whether every file that a command changes is known, and lies inside the workspace or the temporary folder. */
function staysInside({ paths }: CallFacts): boolean {
  const { known, unknown, doubtful, workspace } = paths;
  return (
    unknown === undefined &&
    !doubtful &&
    known.every(
      ({ access, places, remote, follows }) =>
        access === "read" ||
        (!remote && !follows && places.every((place) => isInside(place, workspace))),
    )
  );
}

function leaves({ paths: { known, workspace } }: CallFacts): boolean {
  return known.some(
    (fact) =>
      fact.access !== "read" &&
      !fact.remote &&
      placesOf(fact).some((place) => !isInside(place, workspace)),
  );
}

// The temporary folder is outside: others may write there, and what lies there is not reviewed with the project.
const runsOutside = ({ paths: { known, workspace } }: CallFacts): boolean =>
  known.some(
    ({ runs, remote }) =>
      !remote && runs.some((place) => workspace === undefined || !place.isBelow(workspace)),
  );

const placesOf = ({ places, all }: PathFact): readonly Place[] =>
  places.length === 0 ? all : places;

// Also the temporary folder, under its macOS name too, because it holds no one's work.
function isInside(place: Place, workspace: Place | undefined): boolean {
  if (workspace !== undefined && place.isBelow(workspace)) return true;
  const [first, second] = place.segments;
  const depth = first === "private" && second === "tmp" ? 2 : first === "tmp" ? 1 : 0;
  return depth > 0 && place.segments.length > depth;
}

const HARMLESS: Names = new Set<EffectName>([
  "reads",
  "writes",
  "moves",
  "deletes",
  "changes-repository",
  "runs-project",
  "runs-command",
]);

/** Returns the first effect of a command that an approval mode must not allow without a question. Undefined if there is none. */
export function dangerOf(facts: CallFacts): EffectName | undefined {
  const { part } = facts;
  if (part === null || part.suspect) return undefined;
  if (part.unknown !== undefined) return "unknown";
  const { names, possible } = part.named;
  const danger = [...names, ...possible].find((name) => !HARMLESS.has(name));
  if (danger !== undefined) return danger;
  return changesFiles(facts) && !staysInside(facts) ? "writes-outside" : undefined;
}
