import { isJsonObject, type Json } from "@bylaw/kernel";
import { isData, looksLikePath, namesPlace } from "../match/argument-names.ts";
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

/** Guesses which undescribed arguments may be paths: by their names, also one level down, and in lists by their form. */
export function collectLikelyPaths(
  wanted: PathRef[],
  args: Json,
  known: ReadonlySet<string>,
): void {
  if (Array.isArray(args)) guessList(wanted, undefined, args);
  else if (isJsonObject(args)) {
    for (const [name, value] of Object.entries(args)) {
      if (!known.has(name)) guessValue(wanted, name, value);
      // The texts of such edits never name files.
      else if (Array.isArray(value))
        guessList(
          wanted,
          undefined,
          (value as readonly Json[]).filter((item) => typeof item === "object"),
        );
      guessInside(wanted, value);
    }
  }
}

function guessValue(wanted: PathRef[], name: string | undefined, value: Json): void {
  if (Array.isArray(value)) guessList(wanted, name, value);
  else if (
    typeof value === "string" &&
    wanted.length <= MAX_PATHS &&
    (name === undefined ? looksLikePath(value) : isGuess(name))
  ) {
    wanted.push({ text: fromUrl(value), access: "both", guessed: true });
  }
}

function guessList(wanted: PathRef[], name: string | undefined, list: readonly Json[]): void {
  const byName = name !== undefined && isGuess(name) ? name : undefined;
  if (name !== undefined && byName === undefined && isData(name, { search: true })) return;
  for (const item of list) {
    if (typeof item === "string") guessValue(wanted, byName, item);
    else guessInside(wanted, item);
  }
}

function guessInside(wanted: PathRef[], value: Json): void {
  if (!isJsonObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    for (const text of listOf(item)) if (typeof text === "string") guessValue(wanted, name, text);
  }
}

const isGuess = (name: string): boolean => !isData(name, { search: true }) && namesPlace(name);

function fromUrl(text: string): string {
  if (!/^file:/i.test(text)) return text;
  try {
    return decodeURIComponent(text.replace(/^file:(?:\/\/[^/]*)?/i, ""));
  } catch {
    return text;
  }
}
