import type { Json } from "@bylaw/kernel";
import { z } from "zod";

/** A comparison, or several joined ones, in the form of json-rules-engine. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | {
      readonly fact: (typeof FACTS)[number];
      readonly path: string;
      readonly operator: (typeof OPERATORS)[number];
      readonly value: Json;
    };

const FACTS = ["artifacts", "evidence", "projections", "task"] as const;
const OPERATORS = [
  "equal",
  "notEqual",
  "in",
  "notIn",
  "contains",
  "doesNotContain",
  "lessThan",
  "lessThanInclusive",
  "greaterThan",
  "greaterThanInclusive",
] as const;

const comparison = z.strictObject({
  fact: z.enum(FACTS).describe("The data to look at."),
  path: z
    .string()
    .regex(/^\$\../)
    .describe("A JSONPath to a value in it: `$.plan_document.title`."),
  operator: z.enum(OPERATORS).describe("The comparison."),
  value: z.json().describe("The value to compare with."),
});

const nested: z.ZodType<Condition> = z.lazy(() => conditionSchema);

/** A condition over artifacts, evidence and projections. */
export const conditionSchema: z.ZodType<Condition> = z.union([
  comparison,
  z.strictObject({ all: z.array(nested).min(1).describe("All of these must hold.") }),
  z.strictObject({ any: z.array(nested).min(1).describe("At least one of these must hold.") }),
  z.strictObject({ not: nested }),
]) as z.ZodType<Condition>;
