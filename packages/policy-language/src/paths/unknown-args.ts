import { isJsonObject, type Json } from "@bylaw/kernel";
import { isData, looksLikePath, namesPlace } from "../match/argument-names.ts";
import { jsonIn } from "../match/json-text.ts";
import { addPatch } from "./patch-paths.ts";
import { MAX_PATHS, listOf, type Args, type PathRef } from "./path-refs.ts";

/** Why some argument that the table does not describe could be a path. Undefined if none could. */
export function findUnknownArg(
  args: Args,
  accounted: ReadonlySet<string>,
  kind: { readonly search: boolean },
): string | undefined {
  for (const [name, value] of Object.entries(args ?? {})) {
    if (!accounted.has(name) && mayName(name, value, kind))
      return "an argument that may name another file";
  }
  return undefined;
}

function mayName(name: string, value: Json, kind: { readonly search: boolean }): boolean {
  if (isSwitches(name, value) || isEdits(name, value, kind)) return false;
  const data = isData(name, kind);
  let place: boolean | undefined;
  for (const item of listOf(value)) {
    if (typeof item === "object" && item !== null) return true;
    if (typeof item === "string" && !data && ((place ??= namesPlace(name)) || looksLikePath(item)))
      return true;
  }
  return false;
}

function isSwitches(name: string, value: Json): boolean {
  return (
    /^file_?filtering_?options$/i.test(name) &&
    isJsonObject(value) &&
    Object.values(value).every((item) => typeof item === "boolean")
  );
}

function isEdits(name: string, value: Json, kind: { readonly search: boolean }): boolean {
  if (name !== "edits" || !Array.isArray(value)) return false;
  return (value as readonly Json[]).every(
    (edit) =>
      isJsonObject(edit) &&
      Object.entries(edit).every(([key, item]) => key !== "edits" && !mayName(key, item, kind)),
  );
}

/** Guesses which undescribed arguments may be paths, at any depth: by their names or their form, and in the text of a patch. */
export function collectLikelyPaths(
  wanted: PathRef[],
  args: Json,
  known: ReadonlySet<string>,
): void {
  if (!isJsonObject(args)) {
    guess(wanted, undefined, args);
    return;
  }
  for (const [name, value] of Object.entries(args)) {
    if (!known.has(name)) guessEntry(wanted, name, value, 0);
    // The texts of such edits never name files.
    else if (typeof value === "object")
      guess(wanted, undefined, listOf(value).filter((item) => typeof item === "object") as Json);
  }
}

const MAX_DEPTH = 16;

function guess(wanted: PathRef[], name: string | undefined, value: Json, depth = 0): void {
  if (wanted.length > MAX_PATHS || depth > MAX_DEPTH) return;
  if (typeof value === "string") guessText(wanted, name, value, depth);
  else if (Array.isArray(value))
    for (const item of value as readonly Json[]) guess(wanted, name, item, depth + 1);
  else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) guessEntry(wanted, key, item, depth + 1);
  }
}

// A map of files has their paths as names.
function guessEntry(wanted: PathRef[], name: string, value: Json, depth: number): void {
  if (looksLikePath(name)) wanted.push({ text: fromUrl(name), access: "both", guessed: true });
  guess(wanted, name, value, depth);
}

function guessText(wanted: PathRef[], name: string | undefined, text: string, depth: number): void {
  if (name !== undefined && isData(name, { search: true })) return;
  if (PATCH.test(text)) {
    const named: PathRef[] = [];
    addPatch(named, text);
    wanted.push(...named.map((ref) => ({ ...ref, guessed: true })));
  } else guess(wanted, name, jsonIn(text), depth + 1);
  if (/^(?!file:)[a-z][a-z\d+.-]*:\/\//i.test(text)) return;
  if (looksLikePath(text) || (name !== undefined && namesPlace(name)))
    wanted.push({ text: fromUrl(text), access: "both", guessed: true });
}

const PATCH = /^(?:\s*\*\*\* (?:Add|Update|Delete) File:|\+\+\+ |rename to |copy to |diff --git )/m;

function fromUrl(text: string): string {
  if (!/^file:/i.test(text)) return text;
  try {
    return decodeURIComponent(text.replace(/^file:(?:\/\/[^/]*)?/i, ""));
  } catch {
    return text;
  }
}
