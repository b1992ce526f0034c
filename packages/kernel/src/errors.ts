import type { BylawErrorInit, SourceLocation } from "../contract/errors.d.ts";

/** The one error class of Bylaw: a mistake in a configuration, a policy, a call of the API, or a store. */
export class BylawError extends Error {
  readonly code: BylawErrorInit["code"];
  readonly fix: string | undefined;
  readonly source: SourceLocation | undefined;

  constructor({ code, message, fix, source, cause }: BylawErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BylawError";
    this.code = code;
    this.fix = fix;
    this.source = source;
  }
}

/** `file:line:column`, as far as it is known. */
export const formatLocation = ({ file, line, column }: SourceLocation): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

/** The message of whatever was thrown, in one line. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
      .replace(/\s+/g, " ")
      .trim();
  } catch {
    return "an error that cannot be told";
  }
}

/** A condition of a commit does not hold: read again, decide again. */
export class StoreConflict extends Error {
  readonly what: "seen" | "document" | "fence";

  constructor(what: StoreConflict["what"], message: string) {
    super(message);
    this.name = "StoreConflict";
    this.what = what;
  }

  /** By its shape: a store may have another copy of this package than who uses it. */
  static override [Symbol.hasInstance](thrown: unknown): thrown is StoreConflict {
    return thrown instanceof Error && thrown.name === "StoreConflict" && "what" in thrown && typeof thrown.what === "string";
  }
}
