import { hash } from "node:crypto";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { chainedText } from "../chain.ts";
import { BARE_HASH, HASH_PREFIX } from "./hash-text.ts";

/** What the links of a chain are computed from: an event on its line. */
export interface ChainedLine {
  readonly record: JsonObject;
  /** The line that the record was read from. */
  readonly text: string;
  /** Whether the record is an event in full: the fields in their order, and nothing else. */
  readonly whole: boolean;
}

/** Finds the link that an event stands behind. */
export interface LinkFinder {
  /** Of a link and others, the first that the event follows by its own hash. */
  find(line: ChainedLine, link: string, others: readonly string[]): string | undefined;
  /** The link that the event has behind another. */
  linkOf(line: ChainedLine, previous: string): string;
}

/**
 * Links over stored bytes. A line as a writer leaves it holds its canonical text in pieces, so nothing is made canonical again:
 * what the pieces come to counts only where its digest is the stored one. Where it is not, the record itself is asked.
 */
export function createLinkFinder(): LinkFinder {
  const head = Buffer.alloc(72);
  // Writers differ in whether they sort the details; one log has one writer for most of its length.
  let asStored = true;
  let rewritten = 0;

  function outer(previous: string, sequence: number): string {
    head.write(previous.slice(HASH_PREFIX.length), 0, 32, "hex");
    head.writeUInt32BE(Math.floor(sequence / 2 ** 32), 32);
    head.writeUInt32BE(sequence % 2 ** 32, 36);
    return hash("sha256", head, "hex");
  }

  function follows(
    text: string,
    { record }: ChainedLine,
    link: string,
    others: readonly string[],
  ): string | undefined {
    head.write(hash("sha256", text, "hex"), 40, 32, "hex");
    const stored = record["hash"] as string;
    const sequence = record["sequence"] as number;
    if (stored.endsWith(outer(link, sequence))) return link;
    return others.length === 0
      ? undefined
      : others.find((other) => stored.endsWith(outer(other, sequence)));
  }

  return {
    find(line, link, others) {
      if (asStored) {
        const text = storedText(line);
        const found = text === undefined ? undefined : follows(text, line, link, others);
        if (found !== undefined) return found;
      }
      if (roundsNumbers(line.text)) return undefined;
      const found = follows(canonicalText(line), line, link, others);
      if (found !== undefined) {
        rewritten += 1;
        asStored = rewritten % 64 === 0;
      }
      return found;
    },
    linkOf(line, previous) {
      head.write(hash("sha256", canonicalText(line), "hex"), 40, 32, "hex");
      return `${HASH_PREFIX}${outer(previous, line.record["sequence"] as number)}`;
    },
  };
}

/** The chained text as the line has it, where the line is laid out as `formatEventLine` does. */
function storedText({ text, whole }: ChainedLine): string | undefined {
  // Only between these fields, in this order and with nothing beside them, do the pieces make up the whole line.
  if (!whole || !text.startsWith('{"timestamp":')) return undefined;
  const sequence = text.indexOf(',"sequence":');
  const session = text.indexOf(',"session_id":', sequence);
  const type = text.indexOf(',"event_type":', session);
  const agent = text.indexOf(',"agent_id":', type);
  const task = text.indexOf(',"task_id":', agent);
  const details = text.indexOf(',"details":', task);
  const end = text.length - HASH_MEMBER;
  if (details === -1 || !text.startsWith(',"hash":"', end)) return undefined;
  const piece = (from: number, to: number): string => text.slice(from + 1, to);
  return `{${piece(agent, task)},${piece(details, end)},${piece(type, agent)},${piece(session, type)},${piece(task, details)},${piece(0, sequence)}}`;
}

const HASH_MEMBER = `,"hash":"${HASH_PREFIX}"}`.length + BARE_HASH;

// Of a record that is no event in full, too: what is wrong with it may be what its writer wrote.
const canonicalText = ({ record }: ChainedLine): string =>
  chainedText(record as unknown as LogEvent);

// Two readers could read such a number differently, and the canonical text has only what this one reads.
function roundsNumbers(text: string): boolean {
  if (!/[\d.]{16}/.test(text)) return false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (token.startsWith('"') || Math.abs(Number(token)) < Number.MAX_SAFE_INTEGER) continue;
    if (digitsOf(String(Number(token))) !== digitsOf(token)) return true;
  }
  return false;
}

// What is left of a number without its size: 100, 1e2 and 1.0e+2 are all 1.
const digitsOf = (token: string): string =>
  token.replace(/[eE].*$|[-.]/g, "").replace(/^0+|0+$/g, "");
