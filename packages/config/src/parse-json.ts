import { BylawError, JSON_LIMITS, freezeJson, type Json } from "@bylaw/kernel";

function refuse(message: string): never {
  throw new BylawError({ code: "BYLAW_JSON_INVALID", message });
}

/**
 * Parses JSON text and refuses what another parser might read differently: duplicate keys (also escaped ones), `__proto__`,
 * numbers that change when a double holds them, more than {@link JSON_LIMITS} levels. Throws BYLAW_JSON_INVALID.
 */
export function parseJson(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BylawError({ code: "BYLAW_JSON_INVALID", message: "Unexpected text, expected one JSON value", cause });
  }
  scan(text);
  return freezeJson(value);
}

// One pass over text that JSON.parse has accepted, so only strings, numbers and brackets need telling apart.
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|-?\d[\d.eE+-]*/g;

function scan(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let last: string | undefined;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const token = match[0];
    const first = token.charCodeAt(0);
    if (first === 0x22) last = token;
    else if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : undefined);
      if (open.length > JSON_LIMITS.depth) refuse(`Unexpected nesting, expected at most ${JSON_LIMITS.depth} levels`);
    } else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const raw = last ?? '""';
      const key: string = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
      const keys = open.at(-1);
      if (keys?.has(key)) refuse(`Unexpected second key \`${key}\`, expected each key once`);
      keys?.add(key);
    } else if (token !== ",") exact(token);
  }
}

// INVARIANT: what is judged is what runs. A number with more digits than a double holds would be judged rounded.
function exact(token: string): void {
  const digits = token.replace(/[eE].*$/, "").replace(/^-?0*\.?0*|\./g, "");
  if (digits.replace(/0+$/, "").length > 17 || !Number.isFinite(Number(token))) {
    refuse(`Unexpected number \`${token.slice(0, 40)}\`, expected one that a double holds`);
  }
}
