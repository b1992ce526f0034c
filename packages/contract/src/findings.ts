import { FINDING_CODES, type FindingCode } from "./finding-codes.ts";
import type { ContractFinding } from "./finding.ts";

/** The path to a value: keys of mappings and indexes of lists. */
export type DataPath = readonly PropertyKey[];

/** A line and a column. Both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds the places of the parts of a text. */
export interface Places {
  /** The place of the value at a path, or of the nearest part above it. */
  readonly value: (path: DataPath) => Place;
  /** The place of the last key of a path, or of the nearest part above it. */
  readonly key: (path: DataPath) => Place;
}

/** Reports a finding at a value. */
export type Report = (code: FindingCode, path: DataPath, message: string, fix?: string) => void;

const MAX_FINDINGS = 1000;

/** Collects the findings of one file, each one once. */
export class Findings {
  readonly #found = new Map<string, ContractFinding>();
  readonly #file: string;
  /** Whether the file is in the original form, in which some errors are only warnings. */
  original = false;

  constructor(file: string) {
    this.#file = file;
  }

  get size(): number {
    return this.#found.size;
  }

  get failed(): boolean {
    for (const { severity } of this.#found.values()) if (severity === "error") return true;
    return false;
  }

  /** Adds a finding. After a thousand, adds only an error, and only if there is none yet. */
  add(code: FindingCode, { line, column }: Place, message: string, fix?: string): void {
    const { severity, original } = FINDING_CODES[code];
    const weight = this.original ? original : severity;
    if (this.#found.size >= MAX_FINDINGS && (weight === "warning" || this.failed)) return;
    const key = `${line}:${column}:${code}:${message}`;
    if (this.#found.has(key)) return;
    this.#found.set(key, {
      file: this.#file,
      line,
      column,
      code,
      severity: weight,
      message,
      ...(fix === undefined ? {} : { fix }),
    });
  }

  /** All findings, in the order of the text. */
  list(): readonly ContractFinding[] {
    return Object.freeze(
      [...this.#found.values()]
        .sort((a, b) => a.line - b.line || a.column - b.column)
        .map((one) => Object.freeze(one)),
    );
  }
}
