import { isBylawError } from "@bylaw/config";
import { BylawError, messageOf } from "@bylaw/kernel";
import { formatLocation } from "@bylaw/wording";
import { count, place, plain, type SourceLocation } from "./text.ts";
import { jsonLine, write } from "./output.ts";

/** One of several mistakes in a file. */
export interface FaultFinding extends SourceLocation {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
  readonly severity?: string;
}

/** Creates an error about the command line. Without a fix, it refers to the command's help. */
export function usageError(message: string, fix?: string): BylawError {
  return new BylawError({
    code: "BYLAW_USAGE_INVALID",
    message: plain(message),
    ...(fix === undefined ? {} : { fix: plain(fix) }),
  });
}

/** Prints an error without a stack trace: as text on standard error, or as JSON on standard output. */
export function reportError(error: unknown, { json }: { readonly json: boolean }): void {
  const { code, message: original, fix, source } = isBylawError(error) ? error : unforeseen(error);
  const message = withoutPlace(original, source);
  const findings = findingsOf(error);
  if (json) {
    const body = { code, message, fix, ...source };
    void write(jsonLine({ error: body, ...(findings.length === 0 ? {} : { findings }) }));
    return;
  }
  const lines = findings.length > 1 ? several(code, findings) : one(code, message, fix, source);
  process.stderr.write(`${lines.join("\n")}\n`);
}

function one(
  code: string,
  message: string,
  fix?: string,
  source?: SourceLocation,
): readonly string[] {
  const file = source === undefined ? "" : place({ file: source.file });
  const shown = source === undefined ? message : message.replaceAll(source.file, file);
  const named = source === undefined || (source.line === undefined && shown.includes(file));
  return [
    `error ${code}: ${plain(shown)}`,
    ...(named ? [] : [`  in ${place(source)}`]),
    ...(fix === undefined ? [] : [`  fix: ${plain(fix)}`]),
  ];
}

function withoutPlace(message: string, source: SourceLocation | undefined): string {
  const prefix = source === undefined ? "" : `${formatLocation(source)}: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

function several(code: string, findings: readonly FaultFinding[]): readonly string[] {
  const errors = findings.filter(({ severity = "error" }) => severity === "error").length;
  return [
    `error ${code}: ${count(errors, "error")}${filesOf(findings)}`,
    ...findings.map((item) => `  ${findingLine(item)}`),
  ];
}

function filesOf(findings: readonly FaultFinding[]): string {
  const files = new Set(findings.map(({ file }) => place({ file })));
  return files.size === 1 ? ` in ${[...files].join("")}` : ` in ${files.size} files`;
}

/** Prints one finding in one line. */
export function findingLine({
  code,
  message,
  fix,
  severity = "error",
  ...source
}: FaultFinding): string {
  return `${place(source)} ${severity} ${code}: ${plain(message)}${fix === undefined ? "" : ` (fix: ${plain(fix)})`}`;
}

/** The mistakes that an error lists. Empty if it lists none. */
export function findingsOf(error: unknown): readonly FaultFinding[] {
  if (typeof error !== "object" || error === null || !("findings" in error)) return [];
  return Array.isArray(error.findings) ? (error.findings as readonly FaultFinding[]) : [];
}

function unforeseen(error: unknown): BylawError {
  return new BylawError({
    code: "BYLAW_COMMAND_FAILED",
    message: `The command failed: ${messageOf(error)}`,
    fix: "Report this with the command you ran",
  });
}
