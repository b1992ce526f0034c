const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Names of arguments of file tools that hold text or say how, without `_` and capitals. They name no place, whatever they hold. */
const DATA = words(
  "content contents text filetext oldstring newstring oldstr newstr oldtext newtext oldcontent newcontent newsource code codeedit " +
    "replace replacement search inserttext limit offset line lines startline endline startlineoneindexed endlineoneindexedinclusive " +
    "shouldreadentirefile insertline viewrange encoding description explanation instruction instructions reason reasoning justification " +
    "message summary comment note thought title replaceall recursive casesensitive caseinsensitive outputmode cellid celltype editmode id " +
    "exclude excludes excludepattern excludepatterns ignore ignorepattern ignorepatterns",
);

/** The same of tools that search in files: what they look for. */
const SEARCH_DATA = words("pattern patterns query queries regex regexp searchterm type filetype");

const PLACE = words(
  "path paths file files dir dirs directory directories folder folders dest destination destinations target targets src source sources " +
    "uri uris url urls root roots cwd workdir workspace to from into base output out input location link symlink backup href " +
    "glob globs include includes pattern patterns patch diff new old",
);

const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase();

/** What the name of an argument says. */
interface Meaning {
  readonly data: boolean;
  readonly searchData: boolean;
  readonly place: boolean;
}

// The same few names come again and again, and to take one apart costs more than to look it up. When there are too many all are forgotten.
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

/** Whether an argument of a file tool is text to that tool, and no place. */
export function isData(name: string, { search }: { readonly search: boolean }): boolean {
  const { data, searchData } = meaningOf(name);
  return data || (search && searchData);
}

/** Whether the name of an argument says that it may name a place. */
export const namesPlace = (name: string): boolean => meaningOf(name).place;

function saysPlace(name: string): boolean {
  if (name.length > 200 || !/^[\u0020-\u007e]*$/.test(name)) return true;
  return name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace(/\d+$/, ""))
    .some((word) => PLACE.has(word) || /(?:path|file|filename|dir|directory|folder)s?$/.test(word));
}

/** Whether a text looks like a path by itself: one word with a slash, or with a dot or tilde first. */
export const looksLikePath = (text: string): boolean =>
  /^(?:[.~/]|file:)/i.test(text) || (/[/\\]/.test(text) && !/\s/.test(text));
