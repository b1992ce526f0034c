/**
 * A limit on comparison steps, because agents supply paths and patterns. Below zero the result is
 * unknown.
 */
export interface Budget {
  left: number;
}

/** Some tenths of a second. */
export const budgetOf = (): Budget => ({ left: 50_000_000 });

/**
 * Whether a `/`-separated path matches a glob: `*` and `?` within a part, `**` for any number of
 * parts, `{a,b}` for alternatives.
 */
export function fits(path: string, pattern: string, budget = budgetOf()): boolean {
  budget.left -= path.length + pattern.length;
  if (budget.left < 0) return false;
  const parts = tidy(path).split("/");
  return spread(tidy(pattern)).some((one) =>
    matches(
      parts,
      one.endsWith("/") ? [...one.slice(0, -1).split("/"), "**"] : one.split("/"),
      budget,
    ),
  );
}

const tidy = (path: string): string => path.replaceAll("\\", "/").replace(/^(\.\/)+/, "");

const MAX_CHOICES = 64;

function spread(pattern: string): readonly string[] {
  let open = [pattern];
  for (let rounds = 0; rounds < 8 && open.length <= MAX_CHOICES; rounds += 1) {
    const next = open.flatMap((one) => {
      const [whole, inner] = /\{([^{}]*)\}/.exec(one) ?? [];
      const choices = inner?.split(",") ?? [];
      return whole === undefined || choices.length > MAX_CHOICES
        ? [one]
        : choices.map((choice) => one.replace(whole, () => choice));
    });
    if (next.length === open.length && next.every((one, at) => one === open[at])) return open;
    open = next;
  }
  return open;
}

// Greedy with a single backtrack point, so at most quadratic time.
function matches(parts: readonly string[], wanted: readonly string[], budget: Budget): boolean {
  return walk(
    parts,
    wanted,
    (part, one) =>
      walk(
        part.split(""),
        one.split(""),
        (letter, sign) => sign === "?" || sign === letter,
        "*",
        budget,
      ),
    "**",
    budget,
  );
}

function walk(
  items: readonly string[],
  wanted: readonly string[],
  same: (item: string, want: string) => boolean,
  any: string,
  budget: Budget,
): boolean {
  let [item, want, back, mark] = [0, 0, -1, 0];
  budget.left -= wanted.length;
  while (item < items.length) {
    budget.left -= 1;
    if (budget.left < 0) return false;
    const [here, sought] = [items[item] ?? "", wanted[want]];
    if (sought === any) {
      [back, mark] = [want, item];
      want += 1;
    } else if (sought !== undefined && same(here, sought)) {
      item += 1;
      want += 1;
    } else if (back >= 0) {
      mark += 1;
      [item, want] = [mark, back + 1];
    } else return false;
  }
  while (wanted[want] === any) want += 1;
  return want === wanted.length;
}
