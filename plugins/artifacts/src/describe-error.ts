import type { JsonObject } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import type { ErrorObject } from "ajv/dist/2020.js";

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "text",
};

/** Describes an error in an artifact's value in one sentence, with the place of the value. */
export function describeError(type: string, error: ErrorObject): string {
  const { instancePath, params } = error;
  const details = params as JsonObject;
  const missing = details["missingProperty"];
  if (error.keyword === "required" && typeof missing === "string")
    return `The field ${placeOf(type, instancePath, missing)} is missing`;
  const extra = details["additionalProperty"] ?? details["unevaluatedProperty"];
  if (typeof extra === "string") return `Unknown field ${placeOf(type, instancePath, extra)}`;
  return `${placeOf(type, instancePath)} ${wantedBy(error, details)}`;
}

function wantedBy({ keyword, message }: ErrorObject, params: JsonObject): string {
  const { limit, comparison } = params;
  switch (keyword) {
    case "type":
      return `must be ${[params["type"] ?? []]
        .flat()
        .map((one) => TYPES[String(one)] ?? String(one))
        .join(" or ")}`;
    case "enum": {
      const allowed = params["allowedValues"];
      return `must be one of ${quoteAll(Array.isArray(allowed) ? allowed.map(String) : [], 10)}`;
    }
    case "const":
      return `must be ${quote(JSON.stringify(params["allowedValue"]))}`;
    case "minItems":
    case "maxItems":
      return `must have ${keyword === "minItems" ? "at least" : "at most"} ${String(limit)} item(s)`;
    case "minProperties":
    case "maxProperties":
      return `must have ${keyword === "minProperties" ? "at least" : "at most"} ${String(limit)} field(s)`;
    case "maxLength":
      return `must have at most ${String(limit)} characters`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `must be ${COMPARISONS[String(comparison)] ?? String(comparison)} ${String(limit)}`;
    case "pattern":
      return `must match the pattern ${quote(String(params["pattern"]))}`;
    case "format":
      return `must have the format ${quote(String(params["format"]))}`;
    default:
      return message ?? `breaks \`${keyword}\``;
  }
}

const COMPARISONS: Readonly<Record<string, string>> = {
  ">=": "at least",
  "<=": "at most",
  ">": "more than",
  "<": "less than",
};

// Turns a JSON pointer into a path in dots and brackets.
function placeOf(type: string, pointer: string, below?: string): string {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const path = [...parts, ...(below === undefined ? [] : [below])].map((part) =>
    /^\d+$/.test(part) ? `[${part}]` : `.${part}`,
  );
  return quote(`${type}${path.join("")}`);
}
