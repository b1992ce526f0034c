import type { ArtifactSchema } from "@bylaw/contract";
import { BylawError, canonicalJson, messageOf, type Json } from "@bylaw/kernel";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { visibleText } from "@bylaw/wording";
import { RE2JS } from "re2js";
import { FORMATS } from "./formats.ts";

/** Returns every error of a value. */
export type Validate = (value: Json) => readonly ErrorObject[];

// Compiling the schema of schemas takes longer than compiling those of a contract, so all contracts share it.
let ofSchemas: Ajv2020 | undefined;

/** Compiles the schemas of one contract, each once. Throws BYLAW_ARTIFACT_SCHEMA_INVALID. */
export class Schemas {
  readonly #ajv = engine();
  readonly #known = new Map<string, Validate>();
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  compile(schema: ArtifactSchema): Validate {
    const key = canonicalJson(schema.value);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const validate = this.#compile(schema);
    this.#known.set(key, validate);
    return validate;
  }

  #compile({ ref, value }: ArtifactSchema): Validate {
    try {
      // The drafts differ only in keywords that the contract loader does not know.
      const { $schema: _, $id: __, ...schema } = value;
      ofSchemas ??= engine();
      void ofSchemas.validateSchema(schema, true);
      const check: ValidateFunction = this.#ajv.compile({
        ...structuredClone(schema),
        $id: `bylaw:/${this.#known.size}`,
      });
      const validate: Validate = (artifact) => (check(artifact) ? [] : [...(check.errors ?? [])]);
      // Finds a schema with endless self-reference when it is loaded.
      for (const probe of [null, {}, [], "", 0]) validate(probe);
      return validate;
    } catch (cause) {
      throw new BylawError({
        code: "BYLAW_ARTIFACT_SCHEMA_INVALID",
        message: `The schema \`${ref}\` does not compile as JSON Schema 2020-12: ${messageOf(cause)}`,
        fix: "Fix the schema. References must stay inside it, and its formats must be known to the plugin",
        source: { file: this.#file },
        cause,
      });
    }
  }
}

function engine(): Ajv2020 {
  // Patterns of contracts and texts of agents must not make matching slow.
  const regExp = Object.assign((pattern: string) => linear(pattern), { code: "undefined" });
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    $data: false,
    addUsedSchema: false,
    // Done before, by `ofSchemas`.
    validateSchema: false,
    validateFormats: true,
    logger: false,
    messages: true,
    formats: { ...FORMATS },
    code: { regExp },
  });
  // Ajv counts invisible characters too.
  ajv.removeKeyword("minLength");
  ajv.addKeyword({
    keyword: "minLength",
    type: "string",
    schemaType: "number",
    validate: (least: number, text: string) => Array.from(visibleText(text)).length >= least,
    error: { message: ({ schema }) => `must have at least ${String(schema)} visible characters` },
  });
  // Ajv compares each item with all earlier ones, which takes quadratic time.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (wanted: boolean, items: readonly Json[]) =>
      !wanted || new Set(items.map((item) => canonicalJson(item))).size === items.length,
    error: { message: "must not repeat items" },
  });
  return ajv;
}

function linear(pattern: string): RegExp {
  const compiled = RE2JS.compile(pattern);
  // Ajv caches patterns by their text.
  return {
    test: (text: string) => compiled.matcher(text).find(),
    toString: () => `/${pattern}/`,
  } as RegExp;
}
