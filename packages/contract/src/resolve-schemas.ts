import { createHash } from "node:crypto";
import { canonicalJson, freezeJson, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { isInside } from "./analyse/settings.ts";
import type { Subject } from "./analyse/subject.ts";
import { schemaFaults } from "./artifact-schema.ts";
import { meant } from "./meant.ts";
import type { ArtifactSchema } from "./model.ts";

/** Reads a schema file, named from the folder of the contract with `/`; nothing when it is not there. */
export type ReadSchema = (path: string) => string | undefined;

/** The schemas of the artifacts by their references. Inline ones win over files. */
export function resolveSchemas(subject: Subject, read: ReadSchema): ReadonlyMap<string, ArtifactSchema> {
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
          `Unexpected schema ${quote(ref)}, expected an inline one or a file below the folder of the contract`,
          "write it from there, without `..`",
        );
        continue;
      }
      const base = ref.split("/").at(-1) ?? ref;
      const name = inline.has(ref) ? ref : inline.has(base) ? base : undefined;
      const file = name === undefined || !resolved.has(ref) ? fromFile(ref, base, place, subject, read) : undefined;
      if (name !== undefined) {
        used.add(name);
        const value = inline.get(name) as JsonObject;
        if (file !== undefined && canonicalJson(file.value) !== canonicalJson(value)) {
          report(
            "schema_shadowed",
            place,
            `Unexpected file ${quote(file.path)} that differs from the inline schema ${quote(name)}, expected one of both`,
            "remove the file: the inline schema is what counts",
          );
        }
        resolved.set(ref, { ref, from: "inline", value });
      } else if (file !== undefined) {
        resolved.set(ref, { ref, from: "file", value: file.value });
      } else if (!resolved.has(ref)) {
        report(
          "unknown_schema",
          place,
          `Unexpected schema ${quote(ref)} of ${quote(type)}, expected one of \`schemas\` (${quoteAll(inline.keys())}) or a file`,
          meant(base, inline.keys(), "add it under `schemas`"),
        );
      }
    }
  }
  for (const name of inline.keys()) {
    if (!used.has(name))
      report(
        "unused_schema",
        ["schemas", name],
        `Unexpected schema ${quote(name)} that no artifact has, expected one that does`,
        "name it as `schema` of an artifact, or remove it",
      );
  }
  return resolved;
}

function reportFaults(schema: Json, at: readonly (string | number)[], { report }: Subject, file?: string): void {
  for (const { kind, path, message, fix } of schemaFaults(schema)) {
    const where = file === undefined ? message : message.replace(/^Unexpected /, `Unexpected schema file ${quote(file)}: `);
    report(kind === "impossible" ? "artifact_impossible" : "schema_invalid", file === undefined ? [...at, ...path] : at, where, fix);
  }
}

function fromFile(
  ref: string,
  base: string,
  at: readonly (string | number)[],
  subject: Subject,
  read: ReadSchema,
): { readonly path: string; readonly value: JsonObject } | undefined {
  const { schemas_dir: folder } = subject.data;
  const candidates = [ref, ...(folder === undefined || !isInside(folder) ? [] : [`${folder.replace(/\/+$/, "")}/${base}`])];
  for (const path of candidates) {
    const text = read(path);
    if (text === undefined) continue;
    try {
      const value = freezeJson(JSON.parse(text) as unknown);
      reportFaults(value, at, subject, path);
      if (isJsonObject(value)) return { path, value };
    } catch {
      subject.report("schema_invalid", at, `Unexpected text in schema file ${quote(path)}, expected JSON`, "mend the file");
    }
    return undefined;
  }
  return undefined;
}

/** `sha256:` and the digest of a JSON value in its canonical form. */
export const digestOf = (value: Json): string => `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex")}`;
