import { createHash } from "node:crypto";
import { canonicalJson, freezeJson, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { isInside } from "./analyse/settings.ts";
import type { Subject } from "./analyse/subject.ts";
import { schemaFaults } from "./artifact-schema.ts";
import { suggestFix } from "./suggest-fix.ts";
import type { ArtifactSchema } from "./model.ts";

/**
 * Reads a schema file. `path` is relative to the folder of the contract, with `/`. Undefined if the
 * file does not exist.
 */
export type ReadSchema = (path: string) => string | undefined;

/** The schemas of artifacts, by reference. An inline schema takes precedence over a file. */
export function resolveSchemas(
  subject: Subject,
  read: ReadSchema,
): ReadonlyMap<string, ArtifactSchema> {
  const { data, phases, report } = subject;
  const inline = new Map(Object.entries(data.schemas ?? {}));
  for (const [name, schema] of inline) reportFaults(schema as Json, ["schemas", name], subject);
  const resolved = new Map<string, ArtifactSchema>();
  const used = new Set<string>();
  for (const { required_artifacts: artifacts = [], at } of phases) {
    for (const [index, { schema: ref, type }] of artifacts.entries()) {
      if (ref === undefined) continue;
      const place = [...at, "required_artifacts", index, "schema"];
      if (!isInside(ref)) {
        report(
          "path_outside",
          place,
          `The schema ${quote(ref)} is outside the folder of the contract`,
          "Write it relative to that folder, without `..`",
        );
        continue;
      }
      const base = ref.split("/").at(-1) ?? ref;
      const name = inline.has(ref) ? ref : inline.has(base) ? base : undefined;
      // A file with the name of an inline schema is not read. It has no effect, and agents may have
      // written it.
      const file = name === undefined ? fromFile(ref, base, place, subject, read) : undefined;
      if (name !== undefined) {
        used.add(name);
        resolved.set(ref, { ref, from: "inline", value: inline.get(name) as JsonObject });
      } else if (file !== undefined) {
        resolved.set(ref, { ref, from: "file", value: file.value });
      } else if (!resolved.has(ref)) {
        report(
          "unknown_schema",
          place,
          `Unknown schema ${quote(ref)} of ${quote(type)}: no such file, and \`schemas\` has ${quoteAll(inline.keys())}`,
          suggestFix(base, inline.keys(), "Add it under `schemas`"),
        );
      }
    }
  }
  for (const name of inline.keys()) {
    if (!used.has(name))
      report(
        "unused_schema",
        ["schemas", name],
        `No artifact uses the schema ${quote(name)}`,
        "Name it as `schema` of an artifact, or remove it",
      );
  }
  return resolved;
}

function reportFaults(
  schema: Json,
  at: readonly (string | number)[],
  { report }: Subject,
  file?: string,
): void {
  for (const { kind, path, message, fix } of schemaFaults(schema)) {
    const where = file === undefined ? message : `Schema file ${quote(file)}: ${message}`;
    report(
      kind === "impossible" ? "artifact_impossible" : "schema_invalid",
      file === undefined ? [...at, ...path] : at,
      where,
      fix,
    );
  }
}

function fromFile(
  ref: string,
  base: string,
  at: readonly (string | number)[],
  subject: Subject,
  read: ReadSchema,
): { readonly value: JsonObject } | undefined {
  const { schemas_dir: folder } = subject.data;
  const candidates = [
    ref,
    ...(folder === undefined || !isInside(folder) ? [] : [`${folder.replace(/\/+$/, "")}/${base}`]),
  ];
  for (const path of candidates) {
    const text = read(path);
    if (text === undefined) continue;
    try {
      const value = freezeJson(JSON.parse(text) as unknown);
      reportFaults(value, at, subject, path);
      if (isJsonObject(value)) return { value };
    } catch {
      subject.report(
        "schema_invalid",
        at,
        `The schema file ${quote(path)} is not JSON`,
        "Correct the file",
      );
    }
    return undefined;
  }
  return undefined;
}

/** The digest of a JSON value in canonical form, as `sha256:…`. */
export const digestOf = (value: Json): string =>
  `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex")}`;
