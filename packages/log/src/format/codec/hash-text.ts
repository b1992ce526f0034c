/** What every link begins with. */
const HASH_PREFIX = "sha256:";

/** How many hexadecimal digits follow it. */
const BARE_HASH = 64;

/** Whether text is a link: `sha256:` and 64 hexadecimal digits in lower case. */
export const isLink = (text: string): boolean =>
  text.length === HASH_PREFIX.length + BARE_HASH && /^sha256:[0-9a-f]+$/.test(text);

/** The link at the very end of a line that cannot be read as a whole. */
export const linkAtEnd = (text: string): string | undefined =>
  /"hash":"(sha256:[0-9a-f]{64})"\}\s*$/.exec(text.slice(-120))?.[1];
