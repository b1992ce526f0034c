import { BylawError } from "@bylaw/kernel";

/** An error that lists all faults of a configuration. */
class ConfigError extends BylawError {
  /** Every fault, in the order of the files and of their text. */
  readonly findings: readonly object[];

  constructor(first: BylawError, faults: readonly BylawError[]) {
    const { code, message, fix, source } = first;
    super({ code, message: `${message} (and ${faults.length - 1} more)`, fix, source });
    this.findings = faults.flatMap(findingsOf);
  }
}

function findingsOf(fault: BylawError): readonly object[] {
  if ("findings" in fault && Array.isArray(fault.findings)) return fault.findings as object[];
  const { code, message, fix, source } = fault;
  return [{ ...source, code, severity: "error", message, ...(fix === undefined ? {} : { fix }) }];
}

/** Throws the faults of a configuration, if any, as one error. Its code is that of the first fault. */
export function throwFaults(faults: readonly BylawError[]): void {
  const [first] = faults;
  if (first === undefined) return;
  if (faults.length === 1) throw first;
  const files = faults.map(fileOf);
  throw new ConfigError(
    first,
    faults.toSorted(
      (one, two) =>
        files.indexOf(fileOf(one)) - files.indexOf(fileOf(two)) || lineOf(one) - lineOf(two),
    ),
  );
}

const fileOf = ({ source }: BylawError): string => source?.file ?? "";
const lineOf = ({ source }: BylawError): number => source?.line ?? 0;
