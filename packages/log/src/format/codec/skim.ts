/** What one pass over a JSON text finds without building values. */
export interface Skim {
  /** The number of keys in all objects together. */
  readonly keys: number;
  readonly depth: number;
  /** The index at which the first object or array ends; -1 if it does not end. */
  readonly closed_at: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Skims a text, JSON or not, in linear time. */
export function skim(text: string): Skim {
  let keys = 0;
  let level = 0;
  let depth = 0;
  let closed_at = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      let next = at + 1;
      while (isBlank(text.charCodeAt(next))) next += 1;
      if (text.charCodeAt(next) === COLON) keys += 1;
    } else if (code === 0x7b || code === 0x5b) {
      level += 1;
      if (level > depth) depth = level;
    } else if (code === 0x7d || code === 0x5d) {
      level -= 1;
      if (level === 0 && closed_at === -1) closed_at = at;
    }
  }
  return { keys, depth, closed_at };
}

// The index of the closing quote, or the end of the text if there is none.
function endOfString(text: string, open: number): number {
  for (
    let close = text.indexOf('"', open + 1);
    close !== -1;
    close = text.indexOf('"', close + 1)
  ) {
    let escapes = 0;
    while (text.charCodeAt(close - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return close;
  }
  return text.length;
}

const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
