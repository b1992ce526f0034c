import type { z } from "zod";
import { quote } from "./quote.ts";

type Issue = z.core.$ZodIssue;

const MAX_SHOWN = 10;

/**
 * Describes the issues of a zod schema in plain words: "`port` must be a number; `name` is missing and must be text". `whole`
 * names the parsed value. Never contains the value itself, which may be a secret. Messages that the schema's author wrote are
 * kept; zod's own text is replaced.
 */
export function describeIssues(
  { issues }: { readonly issues: readonly Issue[] },
  whole = "the value",
): string {
  const shown = issues.slice(0, MAX_SHOWN).map((issue) => describe(issue, whole));
  if (issues.length > MAX_SHOWN) shown.push(`and ${issues.length - MAX_SHOWN} more`);
  return shown.join("; ");
}

function describe(issue: Issue, whole: string): string {
  const { path, code } = issue;
  const subject = path.length === 0 ? whole : quote(path.map(String).join("."));
  if (code === "unrecognized_keys") {
    const keys = issue.keys.slice(0, MAX_SHOWN).map(quote).join(", ");
    const what = `unknown ${issue.keys.length === 1 ? "key" : "keys"} ${keys}`;
    return path.length === 0 ? what : `${what} in ${subject}`;
  }
  if (code === "invalid_key" || code === "invalid_element") {
    const [inner] = issue.issues;
    const part = code === "invalid_key" ? "the name" : "an item of";
    if (inner !== undefined) return `${part} ${subject} ${predicateOf(inner)}`;
  }
  const inner = code === "invalid_union" ? intended(issue.errors) : undefined;
  if (inner !== undefined)
    return describe({ ...inner, path: [...path, ...inner.path] } as Issue, whole);
  const missing = code === "invalid_type" && issue.message.endsWith(" received undefined");
  return `${subject} ${missing && path.length > 0 ? "is missing and " : ""}${predicateOf(issue)}`;
}

// In a union, the branch that parsed furthest is probably the intended one. Undefined if no branch got past the start.
const intended = (branches: readonly (readonly Issue[])[]): Issue | undefined =>
  branches
    .flatMap(([first]) => first ?? [])
    .filter(({ path, code }) => path.length > 0 || code === "unrecognized_keys")
    .toSorted((one, other) => other.path.length - one.path.length)[0];

const ZOD_OWN = /^(Invalid|Too (big|small)|Unrecognized)\b/;
const VERB = /^(must|is|are|has|have|cannot|may|needs|does)\b/;

function predicateOf(issue: Issue): string {
  const { message } = issue;
  if (ZOD_OWN.test(message)) return requirementOf(issue);
  return VERB.test(message) ? message : `must be ${message.replace(/^expected /, "")}`;
}

function requirementOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? `a ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${anyOf(issue.values.map(own))}`;
    case "invalid_format":
      return formatOf(issue);
    case "too_small":
      return sizeOf(issue, issue.minimum, "at least", "more than");
    case "too_big":
      return sizeOf(issue, issue.maximum, "at most", "less than");
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_union":
      return unionOf(issue);
    default:
      return "cannot be used as given";
  }
}

function unionOf(issue: z.core.$ZodIssueInvalidUnion): string {
  const { options } = issue as { readonly options?: readonly unknown[] };
  if (options !== undefined) return `must be ${anyOf(options.map(own))}`;
  const ways = new Set(issue.errors.flatMap(([first]) => (first ? predicateOf(first) : [])));
  const [first = "cannot be used as given", ...more] = ways;
  return anyOf([first, ...more.map((way) => way.replace(/^must be /, ""))]);
}

function sizeOf(
  { origin, inclusive, exact }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  limit: number | bigint,
  within: "at least" | "at most",
  beyond: string,
): string {
  const unit = UNITS[origin];
  const amount = `${exact ? "exactly" : inclusive === false ? beyond : within} ${limit}`;
  if (unit === undefined) return `must be ${amount}`;
  if (within === "at least" && Number(limit) === 1 && !exact) return "must not be empty";
  if (within === "at most" && Number(limit) === 0) return "must be empty";
  return `must have ${amount} ${Number(limit) === 1 ? unit : `${unit}s`}`;
}

function formatOf({ format, ...rest }: z.core.$ZodIssueInvalidStringFormat): string {
  const { pattern, prefix, suffix, includes } = rest as Readonly<Record<string, unknown>>;
  const known = FORMATS[format];
  if (known !== undefined) return `must be ${known}`;
  if (prefix !== undefined) return `must begin with ${own(prefix)}`;
  if (suffix !== undefined) return `must end with ${own(suffix)}`;
  if (includes !== undefined) return `must contain ${own(includes)}`;
  return pattern === undefined ? `must be of the format ${format}` : `must match ${own(pattern)}`;
}

// A text that the schema's author wrote is kept as it is.
const own = (value: unknown): string => `\`${String(value)}\``;

function anyOf(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} or ${last}`;
}

const UNITS: Readonly<Record<string, string>> = {
  string: "character",
  array: "item",
  set: "item",
  map: "item",
  file: "byte",
};

// All other kinds have the name that zod uses, such as "a number".
const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  undefined: "left out",
  never: "left out",
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "a date and time such as `2026-01-31T12:00:00Z`",
  date: "a date such as `2026-01-31`",
  time: "a time such as `12:00:00`",
  duration: "a duration such as `PT1H`",
  url: "a URL",
  email: "an email address",
  uuid: "a UUID",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  json_string: "JSON text",
};
