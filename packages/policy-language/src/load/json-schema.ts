import type { JsonObject } from "@bylaw/kernel";

/** Returns the JSON Schema (2020-12) of a policy file, for editors. The package contains it as `policy.schema.json`. */
export async function policyJsonSchema(): Promise<JsonObject> {
  const { buildJsonSchema } = await import("./json-schema-build.ts");
  return buildJsonSchema();
}
