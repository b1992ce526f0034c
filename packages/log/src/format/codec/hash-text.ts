/** The prefix of every link. */
const HASH_PREFIX = "sha256:";

/** The number of hexadecimal digits after the prefix. */
const BARE_HASH = 64;

/** Whether a text is a link: `sha256:` and 64 lower-case hexadecimal digits. */
export const isLink = (text: string): boolean =>
  text.length === HASH_PREFIX.length + BARE_HASH && /^sha256:[0-9a-f]+$/.test(text);

/** The link at the very end of a line that cannot be parsed. */
export const linkAtEnd = (text: string): string | undefined =>
  /"hash":"(sha256:[0-9a-f]{64})"\}\s*$/.exec(text.slice(-120))?.[1];
