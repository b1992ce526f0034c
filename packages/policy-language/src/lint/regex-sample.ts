/** Tries to build a text that a regular expression matches. The reading is simplified, so the caller must test the result. */
export function regexSample(source: string): string | undefined {
  const reader = { text: source.replace(/^\(\?[a-z]+\)/, ""), at: 0 };
  try {
    const sample = alternatives(reader);
    return reader.at === reader.text.length ? sample : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Reader {
  readonly text: string;
  at: number;
}

// Uses the first alternative and skips the others.
function alternatives(reader: Reader): string {
  const first = sequence(reader);
  while (reader.text[reader.at] === "|") {
    reader.at++;
    sequence(reader);
  }
  return first;
}

function sequence(reader: Reader): string {
  let sample = "";
  for (
    let char = reader.text[reader.at];
    char !== undefined && char !== "|" && char !== ")";
    char = reader.text[reader.at]
  ) {
    const one = atom(reader);
    const count = times(reader);
    // `.` may be any text. It mostly stands for arguments.
    sample += char === "." ? "x".repeat(Math.max(1, count)) : one.repeat(count);
  }
  return sample;
}

function atom(reader: Reader): string {
  const char = reader.text[reader.at++] ?? "";
  if (char === "(") {
    reader.at += /^\?(?:P?<\w+>|[a-zA-Z-]*:)/.exec(reader.text.slice(reader.at))?.[0].length ?? 0;
    const inner = alternatives(reader);
    reader.at++;
    return inner;
  }
  if (char === "[") return characterClass(reader);
  if (char === "\\") return escaped(reader.text[reader.at++] ?? "");
  if (char === ".") return "x";
  return char === "^" || char === "$" ? "" : char;
}

const CLASSES: Readonly<Record<string, string>> = {
  d: "1",
  w: "x",
  s: " ",
  S: "x",
  D: "x",
  W: " ",
  b: "",
  B: "",
  t: "\t",
  n: "\n",
};

const escaped = (char: string): string =>
  Object.hasOwn(CLASSES, char) ? (CLASSES[char] ?? "") : char;

function characterClass(reader: Reader): string {
  const end = reader.text.indexOf("]", reader.at + (reader.text[reader.at] === "^" ? 2 : 1));
  const members = reader.text.slice(reader.at, end);
  reader.at = end < 0 ? reader.text.length : end + 1;
  if (members.startsWith("^"))
    return ["x", "1", "-", " "].find((char) => !members.includes(char)) ?? "~";
  return members.startsWith("\\") ? escaped(members[1] ?? "") : (members[0] ?? "");
}

// Optional parts are left out.
function times(reader: Reader): number {
  const [quantifier = "", low] =
    /^(?:[*?]|\+|\{(\d+)(?:,\d*)?\})\??/.exec(reader.text.slice(reader.at)) ?? [];
  reader.at += quantifier.length;
  if (low !== undefined) return Number(low);
  return quantifier.startsWith("*") || quantifier.startsWith("?") ? 0 : 1;
}
