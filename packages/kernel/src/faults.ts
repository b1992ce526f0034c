import { BylawError, messageOf, type BylawErrorInit, type SourceLocation } from "./errors.ts";

interface FaultFinding extends Partial<SourceLocation> {
  readonly code: BylawErrorInit["code"];
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix?: string;
}

/** An error that lists several faults, and has the code of one of them. */
class SeveralFaults extends BylawError {
  readonly findings: readonly FaultFinding[];

  constructor(first: FaultFinding, findings: readonly FaultFinding[]) {
    const { code, message, fix, file, line, column } = first;
    const others = findings.filter(({ severity }) => severity === "error").length - 1;
    const at = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
    super({
      code,
      message: `${message} (and ${others} more)`,
      fix,
      source: file === undefined ? undefined : { file, ...at },
    });
    this.findings = findings;
  }
}

/** Collects faults, so that one error reports all of them. */
export class Faults {
  readonly #found = new Set<unknown>();
  readonly #file: string | undefined;
  #hasFailed = false;

  /** `file`: the place of faults that name none. */
  constructor(earlier: Iterable<unknown> = [], file?: string) {
    for (const fault of earlier) this.#found.add(fault);
    this.#file = file;
  }

  /** Whether any work failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Runs `work` and keeps what it throws. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#hasFailed = true;
      // A fault may be known already, with its place in a file.
      const isKnown = [...this.#found].some(
        (one) => one instanceof Error && error !== undefined && one.cause === error,
      );
      if (!isKnown) this.#found.add(error);
      return undefined;
    }
  }

  /** Throws a single fault as it is, and several as one error with the `findings` of all, in the order of the files and lines. */
  throwAll(): void {
    const [first] = this.#found;
    if (this.#found.size === 0) return;
    if (this.#found.size === 1) throw first;
    const all = [...this.#found].flatMap((fault) => findingsOf(fault, this.#file));
    const distinct = [
      ...new Map(all.map((finding) => [JSON.stringify(finding), finding])).values(),
    ];
    if (distinct.length === findingsOf(first, this.#file).length) throw first;
    const files = distinct.map(({ file }) => file);
    throw new SeveralFaults(
      distinct.find(({ severity }) => severity === "error") ?? unforeseen(first),
      distinct.toSorted(
        (one, two) =>
          files.indexOf(one.file) - files.indexOf(two.file) || (one.line ?? 0) - (two.line ?? 0),
      ),
    );
  }
}

function findingsOf(fault: unknown, file: string | undefined): readonly FaultFinding[] {
  const { code, message, fix, source, findings } = (fault ?? {}) as Partial<SeveralFaults>;
  if (Array.isArray(findings)) return findings as readonly FaultFinding[];
  const place = source ?? (file === undefined ? {} : { file });
  // Another copy of this package has another class of errors.
  if (!(fault instanceof Error) || message === undefined || code?.startsWith?.("BYLAW_") !== true)
    return [{ ...place, ...unforeseen(fault) }];
  return [{ ...place, code, severity: "error", message, ...(fix === undefined ? {} : { fix }) }];
}

const unforeseen = (fault: unknown): FaultFinding => ({
  code: "BYLAW_CONFIG_INVALID",
  severity: "error",
  message: `The configuration cannot be applied: ${messageOf(fault)}`,
});
