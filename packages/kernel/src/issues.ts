import type { z } from "zod";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What a schema found wrong. */
export interface Issues {
  readonly issues: readonly Issue[];
}

const MAX_TOLD = 10;

/**
 * What a schema found wrong, in plain words: "`port` must be a number; `name` is missing and must be text". `whole` names
 * the value that was parsed. Says nothing of the value itself, which may be a secret.
 */
export function describeIssues({ issues }: Issues, whole = "the value"): string {
  const told = issues.slice(0, MAX_TOLD).map((issue) => describeIssue(issue, whole));
  const more = issues.length - told.length;
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** One issue of a zod error in plain words. Authors' messages stand; zod's own text never shows. */
export function describeIssue(issue: Issue, whole = "the value"): string {
  const { path } = issue;
  const subject = nameOf(path, whole);
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.slice(0, MAX_TOLD).map((key) => `\`${key}\``);
    const what = `unknown ${issue.keys.length === 1 ? "key" : "keys"} ${keys.join(", ")}`;
    return path.length === 0 ? what : `${what} in ${subject}`;
  }
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    const [inner] = issue.issues;
    const part = issue.code === "invalid_key" ? "the name" : "an item of";
    if (inner !== undefined) return `${part} ${subject} ${predicateOf(inner)}`;
  }
  if (issue.code === "invalid_union") {
    const inner = intended(issue.errors);
    if (inner !== undefined)
      return describeIssue({ ...inner, path: [...path, ...inner.path] } as Issue, whole);
  }
  const missing =
    path.length > 0 &&
    issue.code === "invalid_type" &&
    issue.message.endsWith(" received undefined");
  return `${subject} ${missing ? "is missing and " : ""}${predicateOf(issue)}`;
}

const nameOf = (path: Path, whole: string): string =>
  path.length === 0 ? whole : `\`${path.map(String).join(".")}\``;

// The branch of a union that read furthest is the one that was meant. Nothing where none got anywhere.
function intended(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const candidates = branches.flatMap(([first]) =>
    first !== undefined && (first.path.length > 0 || first.code === "unrecognized_keys")
      ? [first]
      : [],
  );
  return candidates.toSorted((one, other) => other.path.length - one.path.length)[0];
}

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
      return `must be ${anyOf(issue.values.map((value) => `\`${String(value)}\``))}`;
    case "invalid_format":
      return formatOf(issue);
    case "too_small":
      return sizeOf(issue.origin, issue.minimum, { word: "at least", edge: "more than", ...issue });
    case "too_big":
      return sizeOf(issue.origin, issue.maximum, { word: "at most", edge: "less than", ...issue });
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
  if (options !== undefined)
    return `must be ${anyOf(options.map((value) => `\`${String(value)}\``))}`;
  const ways = issue.errors.flatMap(([first]) => (first === undefined ? [] : [predicateOf(first)]));
  return ways.length === 0
    ? "cannot be used as given"
    : anyOf([...new Set(ways)])
        .replaceAll(" or must be ", " or ")
        .replaceAll(", must be ", ", ");
}

function sizeOf(
  origin: string,
  limit: number | bigint,
  {
    word,
    edge,
    inclusive,
    exact,
  }: {
    readonly word: string;
    readonly edge: string;
    readonly inclusive?: boolean;
    readonly exact?: boolean;
  },
): string {
  const unit = UNITS[origin];
  const amount =
    exact === true ? `exactly ${limit}` : `${inclusive === false ? edge : word} ${limit}`;
  if (unit === undefined) return `must be ${amount}`;
  if (word === "at least" && Number(limit) === 1 && exact !== true) return "must not be empty";
  if (word === "at most" && Number(limit) === 0) return "must be empty";
  return `must have ${amount} ${Number(limit) === 1 ? unit : `${unit}s`}`;
}

function formatOf(issue: z.core.$ZodIssueInvalidStringFormat): string {
  const { format, pattern, prefix, suffix, includes } = { ...issue } as Readonly<
    Record<string, unknown>
  >;
  const known = FORMATS[String(format)];
  if (known !== undefined) return `must be ${known}`;
  if (prefix !== undefined) return `must begin with \`${String(prefix)}\``;
  if (suffix !== undefined) return `must end with \`${String(suffix)}\``;
  if (includes !== undefined) return `must contain \`${String(includes)}\``;
  return pattern === undefined
    ? `must be of the format ${String(format)}`
    : `must match \`${String(pattern)}\``;
}

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

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  map: "a map",
  date: "a date",
  function: "a function",
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
