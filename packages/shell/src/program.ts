import type { Effect, Hazard, Unknown, Word } from "./analysis.ts";

/** What a program's standard input is, as far as the line says. */
export type Input =
  | { readonly kind: "inherited" | "pipe" }
  | { readonly kind: "file"; readonly path: Word }
  /** A here-document or here-string. Undefined text: bash computes it, and `word` has what is known of it. */
  | { readonly kind: "text"; readonly text: string | undefined; readonly word?: Word };

/** That of the line itself. */
export const INHERITED: Input = { kind: "inherited" };

/** What another command of the line writes. */
export const PIPE: Input = { kind: "pipe" };

/** Something that a program runs. */
export type Run =
  /** The command that begins at this word of argv. `until`: before that position. */
  | {
      readonly kind: "argv";
      readonly from: number;
      readonly until?: number;
      /** More words follow that are not known: xargs, find -exec {} +. */
      readonly open?: boolean;
      readonly remote?: boolean;
    }
  /** Text that a POSIX shell runs. */
  | { readonly kind: "script"; readonly script: Word; readonly remote?: boolean }
  /** Text or words that may be run: a deny is about them, and nothing else. */
  | { readonly kind: "sight"; readonly text: string; readonly remote?: boolean }
  | { readonly kind: "sight"; readonly words: readonly Word[]; readonly remote?: boolean };

/** What the words of a simple command say that its program does. */
export interface ProgramReading {
  readonly runs: readonly Run[];
  readonly hazards: readonly Hazard[];
  readonly effects: readonly Effect[];
  readonly carries: boolean;
  readonly unknown: readonly Unknown[];
}
