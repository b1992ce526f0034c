import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { parseJson } from "@bylaw/config";
import { BylawError, freezeJson, messageOf, type Json } from "@bylaw/kernel";
import { LineCounter, isMap, isScalar, isSeq, parseDocument, type Document } from "yaml";

/** A line and column in a text, from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** The data of a file, with the places of its parts. */
export interface Source {
  readonly value: Json;
  readonly place: (path: readonly PropertyKey[]) => Place | undefined;
}

const LIMIT = 8 * 1024 * 1024;

/** Reads the text of a file. Throws BYLAW_TEMPLATE_UNREADABLE unless it is a regular file within the size limit. */
export function readTemplateText(file: string, limit = LIMIT): string {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error("not a regular file");
    if (stats.size > limit)
      throw new Error(`it has ${stats.size} bytes; at most ${limit} are read`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(handle));
  } catch (cause) {
    throw new BylawError({
      code: "BYLAW_TEMPLATE_UNREADABLE",
      message: `Cannot read the file: ${messageOf(cause)}`,
      fix: "Check the path; `bylaw template list` lists the templates",
      source: { file },
      cause,
    });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/**
 * Parses JSON (strictly) or YAML 1.2, depending on the ending of the file. Throws
 * BYLAW_TEMPLATE_INVALID with the place.
 */
export function parseSource(file: string, text: string): Source {
  const lines = new LineCounter();
  let parsed: Document.Parsed | undefined;
  // Parses a JSON text a second time, only when a place is needed.
  const read = (): Document.Parsed =>
    (parsed ??= parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      strict: true,
      uniqueKeys: true,
    }));
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const refuse = (cause: unknown, place: Place | undefined): BylawError =>
    new BylawError({
      code: "BYLAW_TEMPLATE_INVALID",
      message: messageOf(cause),
      source: { file, ...place },
      cause,
    });
  const place = (path: readonly PropertyKey[]): Place => placeAt(offsetOf(read(), path));
  if (file.endsWith(".json")) {
    try {
      return { value: parseJson(text, { file }), place };
    } catch (cause) {
      const { source } = cause as BylawError;
      throw refuse(
        cause,
        source?.line === undefined ? undefined : { line: source.line, column: source.column ?? 1 },
      );
    }
  }
  const document = read();
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined)
    throw refuse(new Error(`Not valid YAML: ${messageOf(fault)}`), placeAt(fault.pos[0]));
  try {
    // The parser refuses aliases that grow without bound.
    return { value: freezeJson(document.toJS({ maxAliasCount: 100 })), place };
  } catch (cause) {
    throw refuse(cause, undefined);
  }
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(step),
      );
      if (pair === undefined) break;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = (node as { readonly range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}
