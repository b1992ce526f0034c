import { isJsonObject, type Json } from "@bylaw/kernel";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/**
 * Names of arguments that hold text or settings of a file tool, in lower case and without `_`. Such an argument never
 * names a file, whatever its value.
 */
const DATA = words(
  "content contents text filetext oldstring newstring oldstr newstr oldtext newtext oldcontent newcontent newsource code codeedit " +
    "replace replacement search inserttext limit offset line lines startline endline startlineoneindexed endlineoneindexedinclusive " +
    "shouldreadentirefile insertline viewrange encoding description explanation instruction instructions reason reasoning justification " +
    "message summary comment note thought title label question header body subject prompt replaceall recursive casesensitive caseinsensitive outputmode cellid celltype editmode id " +
    "exclude excludes excludepattern excludepatterns ignore ignorepattern ignorepatterns",
);

/** The same for tools that search files: names of arguments that say what to look for. */
const SEARCH_DATA = words("pattern patterns query queries regex regexp searchterm type filetype");

/** Names of arguments of a search tool that only say how much is printed, and how. */
const OUTPUT = words(
  "a b c i n o after before context contextafter contextbefore contextlines fixedstring fixedstrings headlimit ignorecase isregex isregexp " +
    "linenumbers literal matchcase maxcount maxmatches maxmatchesperfile maxresults multiline namesonly smartcase timeout totalmaxmatches " +
    "useregex wholeword",
);

const PLACE = words(
  "path paths file files dir dirs directory directories folder folders dest destination destinations target targets src source sources " +
    "uri uris url urls root roots cwd workdir workspace to from into base output out input location link symlink backup href " +
    "glob globs include includes pattern patterns patch diff new old",
);

const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase();

/** What the name of an argument says about its value. */
interface Meaning {
  readonly data: boolean;
  readonly searchData: boolean;
  readonly place: boolean;
}

// The same few names recur, and a look-up is faster than splitting a name. The cache is emptied when it is full.
const KEPT = 1_024;
const KEPT_NAME = 64;
const kept = new Map<string, Meaning>();

function meaningOf(name: string): Meaning {
  const known = kept.get(name);
  if (known !== undefined) return known;
  const key = plain(name);
  const meaning = { data: DATA.has(key), searchData: SEARCH_DATA.has(key), place: saysPlace(name) };
  if (name.length > KEPT_NAME) return meaning;
  if (kept.size === KEPT) kept.clear();
  kept.set(name, meaning);
  return meaning;
}

/** Whether an argument of a file tool holds only text or settings, and never a path. */
export function isData(name: string, { search }: { readonly search: boolean }): boolean {
  const { data, searchData } = meaningOf(name);
  return data || (search && searchData);
}

/** Whether an argument of a search tool may make it read more files than git tracks or would track. */
export function maySearchMore(name: string, value: Json): boolean {
  const key = plain(name);
  if (isData(name, { search: true }) || OUTPUT.has(key)) return false;
  if (isJsonObject(value))
    return Object.entries(value).some(([inner, item]) => maySearchMore(inner, item));
  return !(value === true ? key.startsWith("respect") : !value && /^(?:no|include)/.test(key));
}

/** Whether the name of an argument suggests that its value is a path. */
export const namesPlace = (name: string): boolean => meaningOf(name).place;

function saysPlace(name: string): boolean {
  if (name.length > 200 || !/^[\u0020-\u007e]*$/.test(name)) return true;
  return name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace(/\d+$/, ""))
    .some((word) => PLACE.has(word) || /(?:path|file|filename|dir|directory|folder)s?$/.test(word));
}

/** Whether a text looks like a path: one word that contains a slash or begins with a dot or tilde. */
export const looksLikePath = (text: string): boolean =>
  /^(?:[.~/]|file:)/i.test(text) || (/[/\\]/.test(text) && !/\s/.test(text));
