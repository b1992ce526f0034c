import type { CallFacts } from "../match/call-facts.ts";
import type { FileGuards, IsGuarded } from "./denied-files.ts";
import { questionKey, type FoundRef, type Question } from "./path-refs.ts";
import type { Segment } from "./name-glob.ts";
import { collectPathRefs } from "./collect-path-refs.ts";
import { unknownPath } from "./path-text.ts";

/** The texts of a call that can be read as paths. */
export function knownTexts(facts: CallFacts): readonly string[] {
  const texts = new Set<string>();
  for (const one of [...facts.perCommand, ...facts.embedded]) {
    const { wanted, tooMany } = collectPathRefs(one);
    if (tooMany === true) continue;
    for (const { text, remote } of wanted)
      if (typeof text === "string" && remote !== true) texts.add(text);
  }
  return [...texts].filter((text) => unknownPath(text, facts.call) === undefined);
}

/** A glob of a command that can be expanded in the file system. */
export interface CommandGlob {
  readonly pattern: string;
  /** The folder, as {@link absolutePath} accepts it. */
  readonly folder: string;
  readonly names: readonly Segment[];
  /** Whether the shell itself looks for the names. */
  readonly globbed?: boolean;
  /** Set if another program finds the files. */
  readonly found?: FoundRef;
  /** Set if it is no glob, but a question about one path. */
  readonly asks?: Question;
  /** Set with `found` if only some files count. Takes an absolute path. */
  readonly counts?: IsGuarded;
}

/** The globs in the commands of a call. */
export function knownGlobs(facts: CallFacts, guards: FileGuards): readonly CommandGlob[] {
  const globs = new Map<string, CommandGlob>();
  for (const one of [...facts.perCommand, ...facts.embedded]) {
    for (const ref of collectPathRefs(one).wanted) {
      const { text, pattern, region, remote, found, needs, ignoredKey, follows } = ref;
      if (typeof text === "string" && !unknownPath(text, facts.call)) {
        const ask = (key: string, asks: Question, names: readonly Segment[] = []): void => {
          globs.set(key, { pattern: key, folder: text, names, asks });
        };
        if (needs !== undefined) ask(questionKey(text, needs), needs);
        if (follows === true && found?.denied === true)
          ask(questionKey(text, "unlinked"), "unlinked");
        if (ignoredKey !== undefined) ask(ignoredKey, "ignored", region?.names);
      }
      if (found !== undefined && unknownPath(found.folder, facts.call) === undefined) {
        const guarded = (found.into === undefined ? guards.reads : guards.writes)(one);
        // Another program of the line may print the same folder, and other files may be denied to it.
        const before = globs.get(found.key)?.counts;
        globs.set(found.key, {
          ...{ pattern: found.key, folder: found.folder, names: region?.names ?? [], found },
          ...(found.denied && { counts: (path) => before?.(path) === true || guarded(path) }),
        });
      }
      if (
        pattern === undefined ||
        region?.names === undefined ||
        remote === true ||
        typeof text !== "string"
      )
        continue;
      if (unknownPath(text, facts.call) === undefined)
        globs.set(pattern, {
          pattern,
          folder: text,
          names: region.names,
          globbed: region.globbed === true || globs.get(pattern)?.globbed === true,
        });
    }
  }
  return [...globs.values()];
}
