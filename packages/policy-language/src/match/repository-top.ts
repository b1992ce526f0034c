const PRINTS_TOP = "$(git rev-parse --show-toplevel)";

// Only at the start, because what runs before it could change what git prints. `cd` has to be quoted: it would go home if git fails.
const AT_START =
  /^\s*(?:cd "\$\(git rev-parse --show-toplevel\)"(?=\s*(?:$|&&|;|\n))|([A-Za-z_]\w*)=("?)\$\(git rev-parse --show-toplevel\)\2(?=\s*&&))/;

/** Whether a line asks git for the top folder of the repository. */
export const asksForTop = (line: string): boolean => line.includes(PRINTS_TOP);

/** The line with the top folder of the repository, if it begins by asking git for it. */
export const withTop = (line: string, top: string): string =>
  line.replace(AT_START, (_, name: string | undefined) =>
    name === undefined
      ? // If git fails, `cd ""` stays where it is.
        `git rev-parse --show-toplevel; cd '${top}' || :`
      : `git rev-parse --show-toplevel && ${name}='${top}'`,
  );
