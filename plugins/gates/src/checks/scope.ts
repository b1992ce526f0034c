import type { Json } from "@bylaw/kernel";
import { prose, quoteAll } from "@bylaw/wording";
import { FILE_LIMITS } from "../file-facts.ts";
import { budgetOf, fits } from "../glob.ts";
import { inWorkspace } from "../workspace-path.ts";
import {
  artifactOf,
  field,
  isFindings,
  itemsOf,
  lacking,
  no,
  type CheckInput,
  type Finding,
} from "./check-input.ts";
import { pathsIn } from "./named-files.ts";
import { planOf } from "./plan.ts";

/** Checks that the changed files lie in the scope of the approved plan. */
export function matchesPlan(input: CheckInput): readonly Finding[] {
  const changed = artifactOf(input.artifacts, "implementation_files");
  if (isFindings(changed)) return changed;
  if (!Object.hasOwn(input.approved, "plan_document"))
    return [lacking("No approved plan is recorded", "Pass the gate of the plan first")];
  const scopes = [
    field(planOf(input), "scope"),
    Object.hasOwn(input.approved, "scope_definition")
      ? input.approved["scope_definition"]
      : undefined,
  ];
  const patterns = (name: string): readonly string[] =>
    scopes.flatMap((scope) => itemsOf(scope, name)).flatMap(patternsIn);
  const [inside, outside] = [patterns("in_scope"), patterns("out_of_scope")];
  if (inside.length + outside.length === 0)
    return [
      {
        kind: "note",
        detail:
          "The scope of the approved plan names no paths, so the changed files cannot be compared with it",
      },
    ];
  if (inside.length + outside.length > 2 * MAX_PATTERNS)
    return [lacking(`The scope of the approved plan names more than ${MAX_PATTERNS} paths`)];
  const paths = pathsIn(changed, "files_changed");
  if (paths.length > FILE_LIMITS.files)
    return [lacking(`The artifacts name ${paths.length} files, more than ${FILE_LIMITS.files}`)];
  const budget = budgetOf();
  const found = paths.flatMap((path) => {
    const written = inWorkspace(path);
    if (written === undefined) return [no(`${prose(path, 200)} is not a path in the workspace`)];
    // Compare real paths, and ignore letter case, because some file systems do.
    const places = [written, input.facts?.files.get(path)?.real ?? written];
    if (
      outside.some((pattern) =>
        places.some((place) => fits(place.toLowerCase(), pattern.toLowerCase(), budget)),
      )
    )
      return [no(`${prose(path, 200)} is outside the scope of the approved plan`)];
    if (
      inside.length === 0 ||
      places.every((place) => inside.some((pattern) => fits(place, pattern, budget)))
    )
      return [];
    return [
      no(`${prose(path, 200)} is not in the scope of the approved plan: ${quoteAll(inside, 10)}`),
    ];
  });
  return budget.left < 0
    ? [
        lacking(
          "The scope of the approved plan takes too long to compare with these files",
          "Use shorter paths",
        ),
      ]
    : found;
}

const MAX_PATTERNS = 100;

// A scope is prose that can name paths. A single word is a path if it has a slash, a star or a file
// extension. In a sentence a word is a path if it has a star, has both a slash and an extension,
// or ends in a slash.
function patternsIn(item: Json): readonly string[] {
  if (typeof item !== "string") return [];
  const alone = !/\s/.test(item.trim());
  return item
    .trim()
    .split(/[\s`'"(),;]+/)
    .map((word) => word.replace(/[.:]+$/, ""))
    .filter(
      (word) =>
        /^[\w.@*?{}/-]+$/.test(word) &&
        (/\*|[\w-]\/$|\/.*\.\w+$/.test(word) || (alone && /\/|[\w-]\.[a-z]\w{0,4}$/i.test(word))),
    )
    .map((word) => word.replace(/\/$/, ""))
    .flatMap((path) => (path === "" ? [] : [path, `${path}/**`]));
}
