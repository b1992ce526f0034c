import type { Effect, Hazard, Unknown, Word } from "../analysis.ts";
import type { Listing } from "./found-files.ts";

/** The standard input of a program, as far as it is known. */
export type Input =
  | { readonly kind: "inherited" }
  /** `files`: the files whose paths come through the pipe, if nothing else does. */
  | { readonly kind: "pipe"; readonly files?: Listing }
  | { readonly kind: "file"; readonly path: Word }
  /** A here-document or here-string. Without `text`, `word` contains its known parts. */
  | { readonly kind: "text"; readonly text: string | undefined; readonly word?: Word };

/** The standard input of the line itself. */
export const INHERITED: Input = { kind: "inherited" };

/** The output of another command of the line. */
export const PIPE: Input = { kind: "pipe" };

/** What is left of a list of which a loop reads a path in each round. */
export const REST: Input = { kind: "pipe" };

/** Something that a program runs. */
export type Run =
  /** The command in argv from this position, up to but not including `until`. */
  | {
      readonly kind: "argv";
      readonly from: number;
      readonly until?: number;
      /** All words of the command, if some of them are found files. */
      readonly words?: readonly Word[];
      /** Whether unknown words follow: xargs, find -exec {} +. */
      readonly open?: boolean;
      readonly remote?: boolean;
    }
  /** Text that a POSIX shell runs. */
  | { readonly kind: "script"; readonly script: Word; readonly remote?: boolean }
  /** Text or words that may be run. Only denies and asks apply to them. */
  | { readonly kind: "sight"; readonly text: string; readonly remote?: boolean }
  | { readonly kind: "sight"; readonly words: readonly Word[]; readonly remote?: boolean };

/** What a program does, according to the words of its command. */
export interface ProgramReading {
  readonly runs: readonly Run[];
  readonly hazards: readonly Hazard[];
  readonly effects: readonly Effect[];
  readonly carries: boolean;
  readonly unknown: readonly Unknown[];
}
