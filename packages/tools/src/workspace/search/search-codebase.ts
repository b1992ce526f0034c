import { z } from "zod";
import { defineTool } from "../../define-tool.ts";
import type { CallContext, Tool } from "../../tool.ts";
import { workspaceOf } from "../files/workspace.ts";
import { limitsOf, type WorkspaceToolsOptions, searched } from "../options.ts";
import { budgetOf } from "./budget.ts";
import { eachLine, shownLine } from "./lines.ts";
import { walk } from "./walk.ts";

interface Hit {
  readonly path: string;
  /** The number of words that the path or a line has, then the number of lines with one. */
  readonly score: number;
  readonly matches: readonly { readonly line: number; readonly content: string }[];
}

const MAX_WORDS = 20;
const LINES = 3;
const KEPT = 1_000;

/** Finds files by words. */
export function searchCodebase(options: WorkspaceToolsOptions): Tool<CallContext> {
  const limits = limitsOf(options);
  return defineTool({
    name: "search_codebase",
    description:
      "Finds the text files that have the most of the given words in their name or lines, best first. Skips `.git` and `node_modules`.",
    input: z.object({
      query: z.string().min(1).max(1_000).describe("Words, in any order and case"),
      path: searched,
      limit: z.int().min(1).max(100).default(20).describe("The most files to show"),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ query, path, limit }, context: CallContext) {
      const workspace = await workspaceOf(context, options);
      const segments = workspace.segments(path);
      const words = wordsOf(query);
      const budget = budgetOf(limits, context.signal);
      const skipped = { count: 0 };
      let hits: Hit[] = [];
      const truncated = await walk(workspace, segments, budget, async (place) => {
        const found = new FoundWords(words, place.path);
        const cost = { skipped, cost: words.length + 1 };
        const stop = await eachLine(place, limits, budget, cost, (line, number) =>
          found.look(line, number),
        );
        hits.push(...found.hits());
        if (hits.length > 2 * KEPT) hits = ranked(hits).slice(0, KEPT);
        return stop;
      });
      const results = ranked(hits).slice(0, limit);
      return {
        status: "success",
        query,
        results,
        total: results.length,
        truncated: truncated ?? null,
        skipped_files: skipped.count,
      };
    },
  });
}

/** The words that one file has. */
class FoundWords {
  readonly #words: readonly string[];
  readonly #path: string;
  readonly #known: Set<string>;
  /** The lines with the most words. */
  readonly #best: (Hit["matches"][number] & { readonly count: number })[] = [];
  #lines = 0;

  constructor(words: readonly string[], path: string) {
    const name = path.toLowerCase();
    this.#words = words;
    this.#path = path;
    this.#known = new Set(words.filter((word) => name.includes(word)));
  }

  look(line: string, number: number): undefined {
    const lower = line.toLowerCase();
    const here = this.#words.filter((word) => lower.includes(word));
    if (here.length === 0) return;
    this.#lines += 1;
    for (const word of here) this.#known.add(word);
    const best = this.#best;
    if (best.length === LINES && (best.at(-1)?.count ?? 0) >= here.length) return;
    const content = shownLine(line, lower.indexOf(here[0] ?? ""));
    best.push({ line: number, content, count: here.length });
    best.sort((a, b) => b.count - a.count);
    best.length = Math.min(best.length, LINES);
  }

  hits(): readonly Hit[] {
    if (this.#known.size === 0) return [];
    const score = this.#known.size * 1_000 + Math.min(this.#lines, 999);
    const matches = this.#best.map(({ line, content }) => ({ line, content }));
    return [{ path: this.#path, score, matches }];
  }
}

// The shortest words are left out, because they occur everywhere.
function wordsOf(query: string): readonly string[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
  const long = all.filter(({ length }) => length > 2);
  return (long.length > 0 ? long : all).slice(0, MAX_WORDS);
}

const ranked = (hits: readonly Hit[]): Hit[] =>
  [...hits].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
