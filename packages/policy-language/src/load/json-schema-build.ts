import type { JsonObject } from "@bylaw/kernel";
import { z } from "zod";
import { geminiFileSchema, geminiRuleSchema } from "../compat/gemini/gemini-schema.ts";
import {
  CONDITION_WORDS,
  FILE_WORDS,
  GEMINI_WORDS,
  MARK_WORDS,
  RADIUM_WORDS,
  REFERENCE_WORDS,
  RULE_WORDS,
  WHEN_WORDS,
} from "./json-schema-descriptions.ts";
import {
  fileSchema,
  markSchema,
  radiumFileSchema,
  radiumRuleSchema,
  ruleSchema,
} from "./policy-schema.ts";
import {
  WHEN_FACTS,
  WHEN_OPERATORS,
  WHEN_PATH,
  type WhenOperator,
} from "../compile/when-source.ts";

interface Table {
  description?: string;
  properties?: Record<string, Table>;
  items?: Table;
  anyOf?: Table[];
  $defs?: Record<string, Table>;
  $ref?: string;
}

/** Builds the JSON schema from the schemas that parsing uses. */
export function buildJsonSchema(): JsonObject {
  const { $defs: conditions = {}, ...rule } = tableOf(ruleSchema);
  const { $defs: _, ...mark } = tableOf(markSchema);
  const policy = tableOf(fileSchema.omit({ compat: true }));
  const radium = tableOf(radiumFileSchema);
  const gemini = tableOf(geminiFileSchema);
  describe(rule, RULE_WORDS);
  describe(mark, MARK_WORDS);
  for (const table of [rule, mark])
    for (const paths of table.properties?.["paths"]?.anyOf ?? [])
      describe(paths, {
        read: RULE_WORDS["paths.read"] ?? "",
        write: RULE_WORDS["paths.write"] ?? "",
      });
  for (const key of ["after", "unless_after"])
    for (const reference of rule.properties?.[key]?.anyOf ?? [])
      describe(reference, REFERENCE_WORDS);
  for (const condition of Object.values(conditions)) describe(condition, CONDITION_WORDS);
  for (const file of [policy, radium, gemini]) describe(file, FILE_WORDS);
  if (rule.properties?.["when"] !== undefined)
    rule.properties["when"] = { description: RULE_WORDS["when"] ?? "", $ref: "#/$defs/when" };
  const rules = (file: Table, key: string, name: string): void => {
    const list = file.properties?.[key];
    if (list !== undefined) list.items = { $ref: `#/$defs/${name}` };
  };
  rules(policy, "rules", "rule");
  rules(policy, "marks", "mark");
  rules(radium, "rules", "radiumRule");
  rules(gemini, "rule", "geminiRule");
  const radiumRule = describe(tableOf(radiumRuleSchema), RADIUM_WORDS);
  const geminiRule = describe(tableOf(geminiRuleSchema), GEMINI_WORDS);
  const [condition = "condition"] = Object.keys(conditions);
  const whole = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Bylaw policy",
    description: "Rules for the tool calls of agents.",
    anyOf: [{ $ref: "#/$defs/policy" }, { $ref: "#/$defs/radium" }, { $ref: "#/$defs/gemini" }],
    $defs: {
      policy,
      rule,
      mark,
      condition: conditions[condition] ?? {},
      when: whenTable(),
      radium,
      radiumRule,
      gemini,
      geminiRule,
    },
  };
  return JSON.parse(
    JSON.stringify(whole).replaceAll(`#/$defs/${condition}"`, '#/$defs/condition"'),
  ) as JsonObject;
}

function tableOf(schema: z.ZodType): Table {
  const { $schema: _, ...table } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  return table as Table;
}

function describe(table: Table, words: Readonly<Record<string, string>>): Table {
  for (const [key, property] of Object.entries(table.properties ?? {})) {
    const description = words[key];
    // The description comes first, because readers look there.
    if (description !== undefined && table.properties !== undefined)
      table.properties[key] = { description, ...property };
  }
  return table;
}

function whenTable(): Table {
  const scalar = z.union([z.string(), z.number(), z.boolean()]);
  const comparison = {
    operator: z.enum(Object.keys(WHEN_OPERATORS) as [WhenOperator, ...WhenOperator[]]),
    value: z.union([scalar, z.array(scalar).min(1)]),
    path: z.string().regex(WHEN_PATH).optional(),
  };
  const leaves = [
    z.strictObject({ fact: z.enum(WHEN_FACTS), ...comparison }),
    z.strictObject({ projection: z.string().min(1), ...comparison }),
  ];
  const itself = { $ref: "#/$defs/when" };
  const group = (key: string, below: object): Table =>
    describe(
      {
        type: "object",
        properties: { [key]: below },
        required: [key],
        additionalProperties: false,
      } as Table,
      WHEN_WORDS,
    );
  return {
    anyOf: [
      ...["all", "any"].map((key) => group(key, { type: "array", minItems: 1, items: itself })),
      group("not", itself),
      ...leaves.map((leaf) => describe(tableOf(leaf), WHEN_WORDS)),
    ],
  };
}
