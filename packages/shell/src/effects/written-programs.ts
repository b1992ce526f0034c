import type { Unknown } from "../analysis.ts";
import { NOTHING, type Draft } from "../walk/walk-state.ts";

// Programs that build files from sources, or only change modes.
const MAKES =
  /^(chmod|chown|chgrp|touch|mkdir|mkfifo|gcc|g\+\+|cc|c\+\+|clang(\+\+)?|tcc|rustc|go|tsc|javac|ld|as|strip|cargo|make|cmake|git|npm|npx|node|python3?|sed|prettier|eslint)$/;

/** Marks commands as unknown that run a program which the line itself writes, copies, links or downloads. */
export function noteWritten(commands: readonly Draft[]): void {
  // A single command cannot run what it writes.
  if (commands.length < 2 || !commands.some(runsFile)) return;
  const written = commands.flatMap(writtenBy);
  if (written.length === 0) return;
  const files = new Set(written.flatMap((path) => (path.pattern === undefined ? path.text : [])));
  const folders = new Set(written.flatMap((path) => (path.pattern === undefined ? [] : path.text)));
  for (const draft of commands) {
    const program = draft.effects.find(
      (effect) => effect.kind === "execute" && isWritten(effect.path.text, { files, folders }),
    );
    if (program?.kind !== "execute") continue;
    const reason: Unknown = {
      code: "dynamic_command",
      what: `program \`${(program.path.text ?? "").replace(/[`\n\r\t]/g, " ")}\`, which the line itself writes`,
    };
    draft.unknown = [...draft.unknown, reason];
  }
}

const runsFile = ({ effects }: Draft): boolean => effects.some(({ kind }) => kind === "execute");

interface Written {
  readonly text: string;
  readonly pattern: string | undefined;
}

// Normalized. With a pattern, the text is the folder of all that may be written.
function writtenBy({ effects, argv, redirections }: Draft): readonly Written[] {
  if (!effects.some(({ kind }) => kind === "write")) return NOTHING;
  const name = argv[0]?.text ?? "";
  const makes =
    MAKES.test(name.slice(name.lastIndexOf("/") + 1)) &&
    !effects.some((effect) => effect.kind === "vcs" && effect.action === "mv");
  if (makes && redirections.length === 0) return NOTHING;
  return effects.flatMap((effect) => {
    if (effect.kind !== "write" || effect.path.text === undefined) return [];
    const { text, pattern } = effect.path;
    const counts =
      !makes || pattern !== undefined || redirections.some(({ target }) => target?.text === text);
    return counts ? { text: normalizePath(text), pattern } : [];
  });
}

interface WrittenPaths {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

function isWritten(text: string | undefined, { files, folders }: WrittenPaths): boolean {
  if (text === undefined) return false;
  const path = normalizePath(text);
  return (
    files.has(path) ||
    (folders.has("") && !path.startsWith("/")) ||
    [...folders].some((folder) => folder !== "" && path.startsWith(`${folder}/`))
  );
}

/** Normalizes a path: removes `.`, empty segments, and `..` after a name. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
