import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import { z } from "zod";
import { reportIssues, type Findings, type Path } from "./findings.ts";
import { nearest } from "@bylaw/wording";
import { oneOf } from "./schema-fields.ts";
import { WHEN_KEYS } from "./policy-schema.ts";
import {
  WHEN_FACTS,
  WHEN_OPERATORS,
  WHEN_PATH,
  type WhenFact,
  type WhenOperator,
  type WhenSource,
} from "../compile/when-source.ts";

type Scalar = string | number | boolean;

const MAX_DEPTH = 10;
const GROUPS = ["all", "any", "not"] as const;
// Facts that are tables. A comparison needs a path into them.
const TABLES: ReadonlySet<unknown> = new Set<WhenFact>(["args", "annotations", "claims", "host"]);
const conditions = z
  .array(z.unknown(), { error: "a list of conditions" })
  .min(1, { error: "a list of conditions that is not empty" });
const groupSchemas = {
  all: z.strictObject({ all: conditions }),
  any: z.strictObject({ any: conditions }),
  not: z.strictObject({ not: z.record(z.string(), z.unknown(), { error: "one condition" }) }),
};
const one = z.union([z.string(), z.number(), z.boolean()], {
  error: "text, a number, true or false",
});
const many = z
  .array(one, { error: "a list of texts, numbers, true or false" })
  .min(1, { error: "a list that is not empty" });
const projection = z
  .string({ error: "the name of a projection" })
  .min(1, { error: "the name of a projection" });
const leafOf = <T extends z.ZodType<Scalar | Scalar[]>>(value: T) => {
  const rest = {
    operator: oneOf(Object.keys(WHEN_OPERATORS) as WhenOperator[]),
    value,
    path: z
      .string({ error: "a path" })
      .regex(WHEN_PATH, { error: "a path of names and indexes like `$.a['b c'][0]`" })
      .optional(),
  };
  return {
    fact: z.strictObject({ fact: oneOf(WHEN_FACTS), ...rest }),
    projection: z.strictObject({ projection, ...rest }),
  };
};
const leafSchemas = {
  one: leafOf(one),
  many: leafOf(many),
  number: leafOf(z.number({ error: "a number" })),
  any: leafOf(z.union([one, many], { error: "text, a number, true, false, or a list of them" })),
};

interface Reading {
  readonly findings: Findings;
  /** Whether the rule allows. */
  readonly allow: boolean;
}

/** Checks a condition. Returns undefined, and reports every mistake, if there are any. */
export function readWhen(given: unknown, path: Path, reading: Reading): WhenSource | undefined {
  const before = reading.findings.errors;
  checkCondition(given, path, 1, reading);
  return reading.findings.errors > before ? undefined : (given as WhenSource);
}

function checkCondition(node: unknown, at: Path, depth: number, reading: Reading): void {
  const { findings } = reading;
  if (!isJsonObject(node)) {
    return findings.error(
      at,
      'A condition in `when` looks like `{ fact = "agent", operator = "equal", value = "dev" }`',
    );
  }
  const [group] = GROUPS.filter((key) => Object.hasOwn(node, key));
  if (group === undefined) {
    if (!reportMisspelt(node, at, findings)) checkLeaf(node, at, depth, reading);
    return;
  }
  const second = WHEN_KEYS.find((key) => key !== group && Object.hasOwn(node, key));
  if (second !== undefined) {
    return findings.error(
      [...at, second],
      `Use \`${group}\` or \`${second}\` in one condition, not both`,
      "Nest one in the other",
    );
  }
  if (depth > MAX_DEPTH) {
    return findings.error(at, `Conditions nest more than ${MAX_DEPTH} levels deep`);
  }
  const parsed = groupSchemas[group].safeParse(node);
  if (!parsed.success) reportIssues(parsed.error.issues, at, node, findings);
  const below: unknown = node[group];
  if (Array.isArray(below) && group !== "not") {
    for (const [index, item] of below.entries())
      checkCondition(item, [...at, group, index], depth + 1, reading);
  } else if (isJsonObject(below) && group === "not")
    checkCondition(below, [...at, group], depth + 1, reading);
}

// Reports a key that is probably a misspelt group or `projection`, because it says what the other keys must be.
function reportMisspelt(node: JsonObject, at: Path, findings: Findings): boolean {
  const misspelt = Object.keys(node).find(
    (key) =>
      !(WHEN_KEYS as readonly string[]).includes(key) &&
      ([...GROUPS, "projection"] as readonly unknown[]).includes(nearest(key, WHEN_KEYS)),
  );
  if (misspelt === undefined) return false;
  reportIssues(
    [{ code: "unrecognized_keys", keys: [misspelt], path: [], message: "" }],
    at,
    node,
    findings,
  );
  return true;
}

function checkLeaf(node: JsonObject, at: Path, depth: number, { findings, allow }: Reading): void {
  if (depth === 1) {
    return findings.error(
      at,
      "A comparison in `when` must be inside `all`, `any` or `not`",
      "Write `when = { all = [ … ] }`",
    );
  }
  const ofRun = Object.hasOwn(node, "projection");
  if (ofRun && Object.hasOwn(node, "fact")) {
    return findings.error(
      [...at, "fact"],
      "Use `fact` or `projection` in one comparison, not both",
      "Write a comparison for each",
    );
  }
  const schemas = leafSchemas[wantedBy(node["operator"])];
  const parsed = (ofRun ? schemas.projection : schemas.fact).safeParse(node);
  if (!parsed.success) return reportIssues(parsed.error.issues, at, node, findings);
  // The shape of a projection's state is not known here.
  if ("projection" in parsed.data) return;
  const { fact, path } = parsed.data;
  if (TABLES.has(fact) && path === undefined) {
    findings.error(
      [...at, "fact"],
      `\`${fact}\` is a table and needs a \`path\` to a value in it`,
      'Add one like `path = "$.name"`',
    );
  } else if (!TABLES.has(fact) && path !== undefined) {
    findings.error(
      [...at, "path"],
      `\`${fact}\` is a single value and takes no \`path\``,
      "Remove `path`",
    );
  }
  if (allow && fact === "annotations") {
    findings.error(
      [...at, "fact"],
      "An allow cannot depend on `annotations`: they come from the tool, so they can only tighten",
      "Use it in a deny or ask_user rule",
    );
  }
}

function wantedBy(operator: unknown): keyof typeof leafSchemas {
  if (operator === "in" || operator === "notIn") return "many";
  if (typeof operator !== "string" || !Object.hasOwn(WHEN_OPERATORS, operator)) return "any";
  return WHEN_OPERATORS[operator as WhenOperator] === "number" ? "number" : "one";
}
