import type { Json } from "@bylaw/kernel";
import { inLine, listed } from "../codes.ts";
import { fits } from "../glob.ts";
import { artifactOf, field, isFindings, itemsOf, lacking, no, type CheckInput, type Finding } from "./check-input.ts";
import { pathsIn } from "./named-files.ts";
import { planOf } from "./plan.ts";

/** The changed files lie in the scope of the plan that the gate let pass. */
export function matchesPlan(input: CheckInput): readonly Finding[] {
  const changed = artifactOf(input.artifacts, "implementation_files");
  if (isFindings(changed)) return changed;
  if (!Object.hasOwn(input.approved, "plan_document"))
    return [lacking("No approved plan is on record", "go through the gate of the plan first")];
  const scopes = [
    field(planOf(input), "scope"),
    Object.hasOwn(input.approved, "scope_definition") ? input.approved["scope_definition"] : undefined,
  ];
  const patterns = (name: string): readonly string[] => scopes.flatMap((scope) => itemsOf(scope, name)).flatMap(patternsIn);
  const [inside, outside] = [patterns("in_scope"), patterns("out_of_scope")];
  if (inside.length + outside.length === 0)
    return [{ kind: "note", detail: "The scope of the approved plan names no paths, so nothing holds the changed files to it" }];
  return pathsIn(changed, "files_changed").flatMap((path) => {
    if (outside.some((pattern) => fits(path, pattern))) return [no(`${inLine(path)} is out of the scope of the approved plan`)];
    if (inside.length === 0 || inside.some((pattern) => fits(path, pattern))) return [];
    return [no(`${inLine(path)} is not in the scope of the approved plan: ${listed(inside, 10)}`)];
  });
}

// A scope is prose that may name paths. A text without blanks is one where it has a slash, a star or an ending; in a sentence only what
// can be nothing else is: something with a star, with a slash and an ending, or with a slash at its end.
function patternsIn(item: Json): readonly string[] {
  if (typeof item !== "string") return [];
  const alone = !/\s/.test(item.trim());
  return item
    .trim()
    .split(/[\s`'"(),;]+/)
    .map((word) => word.replace(/[.:]+$/, ""))
    .filter(
      (word) => /^[\w.@*?{}/-]+$/.test(word) && (/\*|[\w-]\/$|\/.*\.\w+$/.test(word) || (alone && /\/|[\w-]\.[a-z]\w{0,4}$/i.test(word))),
    )
    .map((word) => word.replace(/\/$/, ""))
    .flatMap((path) => (path === "" ? [] : [path, `${path}/**`]));
}
