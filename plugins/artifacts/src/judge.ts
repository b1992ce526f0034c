import type { Contract, Phase, RequiredArtifact } from "@bylaw/contract";
import { deny, type Json, type JsonObject, type Verdict } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import type { ErrorObject } from "ajv/dist/2020.js";
import { describeError } from "./describe-error.ts";
import { RULES } from "./rules.ts";
import { Schemas, type Validate } from "./schema.ts";

export const CODES = {
  artifact_missing: "a required artifact was not handed in",
  artifact_invalid: "an artifact does not fit its schema",
  artifact_rule: "an artifact breaks a rule of the contract",
  artifact_too_large: "an artifact is too large or nested too deeply",
} as const;

/** Lists everything that is wrong with the artifacts of a phase. Pure; never throws. */
export type ArtifactJudge = (phase: string, artifacts: JsonObject) => readonly Verdict[];

/** The most errors of one artifact that are listed one by one. */
const MAX_ERRORS = 20;

interface Wanted {
  readonly required: RequiredArtifact;
  readonly validate: Validate | undefined;
  readonly where: string;
  readonly reviews: readonly string[];
}

/** Makes the judge of a contract and compiles its schemas once. Throws BYLAW_ARTIFACT_SCHEMA_INVALID. */
export function artifactJudge(contract: Contract): ArtifactJudge {
  const schemas = new Schemas(contract.file);
  const wanted = (phase: Phase): readonly Wanted[] =>
    phase.artifacts.map((required) => ({
      required,
      validate: required.schema === undefined ? undefined : schemas.compile(required.schema),
      where: `${phase.id}.required_artifacts.${required.type}`,
      reviews: phase.spawns.flatMap(({ models }) => models),
    }));
  const phases = new Map(contract.phases.map((phase) => [phase.id, wanted(phase)]));
  return (phase, artifacts) =>
    (phases.get(phase) ?? []).flatMap((one) => judge(one, artifacts, contract.file));
}

function judge(
  { required, validate, where, reviews }: Wanted,
  artifacts: JsonObject,
  file: string,
): readonly Verdict[] {
  const { type, description, schema, rules } = required;
  const rule = { name: where, file };
  const artifact: Json = Object.hasOwn(artifacts, type) ? (artifacts[type] ?? null) : null;
  if (!Object.hasOwn(artifacts, type) || (artifact === null && schema === undefined)) {
    const what = description === undefined ? "" : `: ${description}`;
    const near = Object.keys(artifacts).slice(0, 20).map(quote).join(", ");
    const reason = `The artifact ${quote(type)} is missing${what}${near === "" ? "" : ` (handed in: ${near})`}`;
    return [deny(reason, `Hand it in as ${quote(type)}`, { code: "artifact_missing", rule })];
  }
  const limit = exceededLimit(artifact);
  if (limit !== undefined)
    return [
      deny(
        `The artifact ${quote(type)} is too large: more than ${LIMITS[limit]} ${limit}`,
        "Hand in only what the schema asks for, and name files instead of including them",
        { code: "artifact_too_large", rule },
      ),
    ];
  const errors = validate === undefined ? [] : validated(validate, artifact);
  const fix = `Make it fit the schema ${quote(schema?.ref ?? type)}`;
  const found = errors
    .slice(0, MAX_ERRORS)
    .map((error) => deny(describeError(type, error), fix, { code: "artifact_invalid", rule }));
  if (errors.length > MAX_ERRORS)
    found.push(
      deny(`The artifact ${quote(type)} has ${errors.length - MAX_ERRORS} more errors`, fix, {
        code: "artifact_invalid",
        rule,
      }),
    );
  const broken = rules.filter(({ check }) => RULES[check]?.({ artifact, reviews }) === false);
  return [
    ...found,
    ...broken.map(({ check, message }) =>
      deny(
        `The artifact ${quote(type)} breaks the rule ${quote(check)}: ${message}`,
        "Fix the artifact",
        { code: "artifact_rule", rule },
      ),
    ),
  ];
}

// A stack overflow is a finding about the artifact, not a failure of the check.
function validated(validate: Validate, artifact: Json): readonly ErrorObject[] {
  try {
    return validate(artifact);
  } catch {
    return [
      {
        keyword: "nesting",
        instancePath: "",
        schemaPath: "",
        params: {},
        message: "is nested too deeply for the schema",
      },
    ];
  }
}

/** The limits of an artifact: values, levels, and characters of names and texts. */
const LIMITS = { values: 50_000, depth: 64, characters: 2_000_000 } as const;

/** The limit that a value exceeds, or undefined. The limits also bound the time. */
function exceededLimit(value: Json): keyof typeof LIMITS | undefined {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value, depth: 1 }];
  let values = 0;
  let characters = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1;
    if (values > LIMITS.values) return "values";
    if (next.depth > LIMITS.depth) return "depth";
    if (typeof next.value === "string") characters += next.value.length;
    else if (typeof next.value === "object" && next.value !== null) {
      const depth = next.depth + 1;
      const entries = Object.entries<Json>(next.value);
      if (values + open.length + entries.length > LIMITS.values) return "values";
      for (const [name, item] of entries) {
        characters += name.length;
        open.push({ value: item, depth });
      }
    }
    if (characters > LIMITS.characters) return "characters";
  }
  return undefined;
}
