import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { suggestFix } from "./suggest-fix.ts";

/** A fault of a schema, and its path in the schema. */
export interface SchemaFault {
  readonly path: readonly (string | number)[];
  /** `impossible`: the schema is valid, but no value fits it. */
  readonly kind: "invalid" | "impossible";
  readonly message: string;
  readonly fix?: string | undefined;
}

const SUBSCHEMA = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "additionalItems",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const SCHEMA_LIST = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SCHEMA_MAP = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const COUNT = [
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains",
];
const NUMBER = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const TEXT = [
  "$schema",
  "$id",
  "$ref",
  "$anchor",
  "$comment",
  "title",
  "description",
  "format",
  "pattern",
  "contentEncoding",
  "contentMediaType",
];
const FLAG = ["uniqueItems", "readOnly", "writeOnly", "deprecated"];
const ANY = ["default", "examples", "const", "enum", "required", "type", "dependentRequired"];
const KEYWORDS: readonly string[] = [
  ...SUBSCHEMA,
  ...SCHEMA_LIST,
  ...SCHEMA_MAP,
  ...COUNT,
  ...NUMBER,
  ...TEXT,
  ...FLAG,
  ...ANY,
];
const TYPES = ["null", "boolean", "object", "array", "number", "integer", "string"];
const RANGES = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
  ["minimum", "maximum"],
] as const;

/**
 * Finds all faults of a JSON Schema: unknown keywords, values of the wrong kind, references outside
 * the schema, and parts that no value fits.
 */
export function schemaFaults(schema: Json): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  visit(schema, [], true, faults);
  return faults;
}

function visit(
  schema: Json,
  path: readonly (string | number)[],
  needed: boolean,
  faults: SchemaFault[],
): void {
  if (typeof schema === "boolean") return;
  if (!isJsonObject(schema))
    return void faults.push({
      path,
      kind: "invalid",
      message: "A JSON Schema is a mapping, true or false",
    });
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, keyword];
    const wrong = faultOf(keyword, value);
    if (wrong !== undefined) faults.push({ path: at, kind: "invalid", ...wrong });
    else if (SUBSCHEMA.includes(keyword)) {
      if (Array.isArray(value))
        value.forEach((item: Json, index) => visit(item, [...at, index], false, faults));
      else visit(value, at, false, faults);
    } else if (SCHEMA_LIST.includes(keyword))
      (value as readonly Json[]).forEach((item, index) =>
        visit(item, [...at, index], false, faults),
      );
    else if (SCHEMA_MAP.includes(keyword)) {
      const required = needed && keyword === "properties" ? wordsOf(schema["required"]) : [];
      for (const [name, below] of Object.entries(value as JsonObject))
        visit(below, [...at, name], required.includes(name), faults);
    }
  }
  if (needed)
    for (const message of impossible(schema)) faults.push({ path, kind: "impossible", message });
}

const wordsOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

// Finds contradictions that are visible without solving the schema.
function impossible(schema: JsonObject): readonly string[] {
  const found: string[] = [];
  for (const [least, most] of RANGES) {
    const [low, high] = [schema[least], schema[most]];
    if (typeof low === "number" && typeof high === "number" && low > high)
      found.push(`\`${least}\` ${low} is above \`${most}\` ${high}, so no value fits`);
  }
  if (Array.isArray(schema["enum"]) && schema["enum"].length === 0)
    found.push("An empty `enum` allows no value");
  const properties = isJsonObject(schema["properties"] ?? null)
    ? (schema["properties"] as JsonObject)
    : {};
  for (const name of wordsOf(schema["required"])) {
    if (typeof name !== "string") continue;
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own === false) found.push(`${quote(name)} is required, but no value is allowed for it`);
    if (
      own === undefined &&
      schema["additionalProperties"] === false &&
      schema["patternProperties"] === undefined
    ) {
      found.push(`${quote(name)} is required, but \`additionalProperties: false\` refuses it`);
    }
  }
  return found;
}

function faultOf(keyword: string, value: Json): Pick<SchemaFault, "message" | "fix"> | undefined {
  const expected = (wanted: string): Pick<SchemaFault, "message"> => ({
    message: `\`${keyword}\` must be ${wanted}`,
  });
  if (!KEYWORDS.includes(keyword)) {
    return {
      message: `JSON Schema has no keyword ${quote(keyword)}`,
      fix: suggestFix(keyword, KEYWORDS, "Put it into `properties` if it is a field"),
    };
  }
  if (COUNT.includes(keyword) && !(Number.isSafeInteger(value) && Number(value) >= 0))
    return expected("a whole number from 0");
  if (NUMBER.includes(keyword) && typeof value !== "number") return expected("a number");
  if (FLAG.includes(keyword) && typeof value !== "boolean") return expected("true or false");
  if (TEXT.includes(keyword) && typeof value !== "string") return expected("text");
  if (SCHEMA_LIST.includes(keyword) && !(Array.isArray(value) && value.length > 0))
    return expected("a list of schemas");
  if (SCHEMA_MAP.includes(keyword) && !isJsonObject(value)) return expected("a mapping of schemas");
  if (keyword === "enum" && !Array.isArray(value)) return expected("a list");
  if (
    keyword === "required" &&
    !(Array.isArray(value) && value.every((name) => typeof name === "string"))
  )
    return expected("a list of names");
  if (keyword === "$ref" && !String(value).startsWith("#"))
    return {
      ...expected("a reference into the same schema, `#/…`"),
      fix: "Copy the schema that it refers to into `$defs`",
    };
  if (keyword === "pattern" && !compiles(String(value))) return expected("a regular expression");
  if (keyword !== "type") return undefined;
  const unknown = (Array.isArray(value) ? (value as readonly Json[]) : [value]).find(
    (one) => typeof one !== "string" || !TYPES.includes(one),
  );
  return unknown === undefined
    ? undefined
    : { ...expected(`one of ${TYPES.join(", ")}`), fix: suggestFix(String(unknown), TYPES) };
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
