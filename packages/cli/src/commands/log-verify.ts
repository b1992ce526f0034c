import {
  createLogVerifier,
  type CatalogueMode,
  type FindingSeverity,
  type LogHead,
} from "@bylaw/log";
import { coordinatorOrder } from "@bylaw/plugin-coordinator";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { catalogueOf } from "../log/event-types.ts";
import {
  readHeads,
  verifySigned,
  type HeadsOptions,
  type Signed,
  type SignedFinding,
} from "../log/verify-heads.ts";
import { verifyLines, type FileFinding } from "../log/verify-lines.ts";
import { logLines, sourceOf, type SourceOptions } from "../log/log-source.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, paintFor, place, plain, type Paint } from "../io/text.ts";

/** The options of `bylaw log verify`. */
export interface VerifyOptions extends SourceOptions, HeadsOptions {
  readonly profile?: "envelope" | "coordinator";
  readonly catalogue?: CatalogueMode;
  /** A configuration, whose plugins declare further types. Loading it runs its code, so none is looked for. */
  readonly config?: string;
  readonly chained?: boolean;
  readonly json?: boolean;
}

/** Prints what is wrong with a log. The exit code is 1 where something is an error. */
export async function verifyLog(files: readonly string[], options: VerifyOptions): Promise<void> {
  const {
    profile = "envelope",
    catalogue: mode = "lenient",
    config,
    chained = false,
    json = false,
  } = options;
  const source = sourceOf(files, options);
  const configured = config === undefined ? [] : (await loadKernelFor({ config })).declared.events;
  const verifier = createLogVerifier({
    ...(profile === "coordinator" ? { order: coordinatorOrder } : {}),
    catalogue: catalogueOf(mode, configured),
    chained,
  });
  const paint = paintFor(process.stdout);
  const counts: Record<FindingSeverity, number> = { error: 0, warning: 0 };
  const kept: object[] = [];
  const heads = await readHeads(options);
  const several = files.length > 1 || heads !== undefined;
  async function tell(findings: readonly (FileFinding | SignedFinding)[]): Promise<void> {
    for (const finding of findings) {
      counts[finding.severity] += 1;
      const { file, ...alone } = finding;
      if (json) kept.push(several ? finding : alone);
    }
    if (!json && findings.length > 0)
      await write(findings.map((finding) => `${findingText(finding, paint)}\n`).join(""));
  }
  const lines = logLines(source);
  let signed: Signed | undefined;
  if (heads === undefined)
    for await (const findings of verifyLines(lines, verifier)) await tell(findings);
  else {
    signed = await verifySigned(lines, verifier, { ...heads, run: options.run }, tell);
    await tell(signed.findings);
  }
  const { events, first, head } = verifier;
  const proven =
    signed === undefined ? {} : { signed: { heads: signed.heads, last: signed.last ?? null } };
  await write(
    json
      ? jsonLine({ events, ...(first > 1 ? { first } : {}), head, ...proven, findings: kept })
      : `${summary(counts, events)}${firstText(first)}${headText(head)}${signedText(signed)}\n`,
  );
  conclude(counts.error > 0 ? 1 : 0);
}

const STYLE = { error: "red", warning: "yellow" } as const;

function findingText(
  { file, line, rule, severity, message }: FileFinding | SignedFinding,
  paint: Paint,
): string {
  return `${place({ file, line })} ${paint(STYLE[severity], severity)} ${rule}: ${plain(message)}`;
}

function summary(
  { error, warning }: Readonly<Record<FindingSeverity, number>>,
  events: number,
): string {
  const found = [
    ...(error > 0 ? [count(error, "error")] : []),
    ...(warning > 0 ? [count(warning, "warning")] : []),
  ];
  return `${found.length === 0 ? "No findings" : found.join(", ")} in ${count(events, "event")}`;
}

// A log whose beginning was taken away looks as whole as one that was rotated.
const firstText = (first: number): string => (first > 1 ? `, without those before ${first}` : "");

// A log without hashes looks as whole as one whose hashes were all taken away.
function headText({ sequence, hash }: LogHead): string {
  if (sequence === 0) return "";
  return hash === undefined ? ", not chained" : `, up to ${sequence} ${hash}`;
}

function signedText(signed: Signed | undefined): string {
  if (signed === undefined) return "";
  return signed.last === undefined
    ? ", not signed"
    : `, signed up to ${signed.last.sequence} of run ${plain(signed.last.run)} at ${plain(signed.last.at)}`;
}
