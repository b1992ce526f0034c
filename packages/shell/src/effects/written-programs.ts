import type { Unknown } from "../analysis.ts";
import type { Draft } from "../walk/walk-state.ts";

// Programs that build files from sources, or only change modes.
const MAKES =
  /^(chmod|chown|chgrp|touch|mkdir|mkfifo|gcc|g\+\+|cc|c\+\+|clang(\+\+)?|tcc|rustc|go|tsc|javac|ld|as|strip|cargo|make|cmake|git|npm|npx|node|python3?|sed|prettier|eslint)$/;

/** Marks commands as unknown that run a program which the line itself writes, copies, links or downloads. */
export function noteWritten(commands: readonly Draft[]): void {
  // A single command cannot run what it writes.
  if (commands.length < 2) return;
  let written: Set<string> | undefined;
  for (const { effects, argv, redirections } of commands) {
    const name = argv[0]?.text ?? "";
    const makes = MAKES.test(name.slice(name.lastIndexOf("/") + 1));
    if (makes && redirections.length === 0) continue;
    for (const effect of effects) {
      if (
        effect.kind !== "write" ||
        effect.path.text === undefined ||
        effect.path.pattern !== undefined
      )
        continue;
      if (!makes || redirections.some(({ target }) => target?.text === effect.path.text))
        (written ??= new Set()).add(normalizePath(effect.path.text));
    }
  }
  if (written === undefined) return;
  for (const draft of commands) {
    for (const effect of draft.effects) {
      if (
        effect.kind !== "execute" ||
        effect.path.text === undefined ||
        !written.has(normalizePath(effect.path.text))
      )
        continue;
      const reason: Unknown = {
        code: "dynamic_command",
        what: `program \`${effect.path.text.replace(/[`\n\r\t]/g, " ")}\`, which the line itself writes`,
      };
      draft.unknown = [...draft.unknown, reason];
      break;
    }
  }
}

/** Normalizes a path: removes `.`, empty segments, and `..` after a name. */
function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
