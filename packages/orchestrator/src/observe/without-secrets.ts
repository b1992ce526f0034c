/** What stands in the place of a secret. */
const GONE = "[redacted]";
/** Names of what is a secret, whatever it looks like. */
const NAME = /authorization|cookie|secret|password|passwd|token|credential|private_?key|api_?key/i;
// Credentials that show by their form what they are: in a header, a JSON Web Token, and in a URL.
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|bylaw-enrol|basic)\s+[!-~]{6,}/gi, `$1 ${GONE}`],
  [/\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g, GONE],
  [/(:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,400}@/g, `$1${GONE}@`],
];
const DEPTH = 6;
const ITEMS = 100;
/** Longer texts are cut: a log is no place for what somebody sends. */
const LONGEST = 4_000;
/** A shorter one would take ordinary words out of every line. */
const SHORTEST = 8;
const SHORTEST_LINE = 16;

/** Makes a function that copies what is to be logged, without secrets and within bounds. `secrets`: those that are known. */
export function withoutSecrets(secrets: readonly string[]): (value: unknown) => unknown {
  // Of a key in several lines one is a secret too.
  const lines = secrets
    .flatMap((secret) => secret.split("\n"))
    .filter(({ length }) => length >= SHORTEST_LINE);
  const whole = secrets.filter(({ length }) => length >= SHORTEST);
  const known = [...new Set([...whole, ...lines])].sort((one, other) => other.length - one.length);

  function text(given: string): string {
    let clean = given.length > LONGEST ? `${given.slice(0, LONGEST)}…` : given;
    for (const secret of known) clean = clean.replaceAll(secret, GONE);
    for (const [form, instead] of FORMS) clean = clean.replace(form, instead);
    return clean;
  }

  function copy(value: unknown, depth: number): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null)
      return typeof value === "bigint" ? String(value) : value;
    if (value instanceof Error) return text(`${value.name}: ${value.message}`);
    if (depth === DEPTH) return "…";
    if (Array.isArray(value)) return value.slice(0, ITEMS).map((item) => copy(item, depth + 1));
    const entries = Object.entries(value).slice(0, ITEMS);
    return Object.fromEntries(
      entries.map(([key, item]) => [
        text(key),
        NAME.test(key) && item !== undefined ? GONE : copy(item, depth + 1),
      ]),
    );
  }

  return (value) => copy(value, 0);
}
