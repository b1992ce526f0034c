import { createLogVerifier, type FindingSeverity, type LogHead } from "@bylaw/log";
import { coordinatorOrder } from "@bylaw/plugin-coordinator";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { catalogueOf } from "../log/event-types.ts";
import { readHeads, verifySigned, type Signed, type SignedFinding } from "../log/verify-heads.ts";
import { verifyLines, type FileFinding } from "../log/verify-lines.ts";
import { logLines, sourceOf } from "../log/log-source.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, paintFor, place, plain, type Paint } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { LOG_OPTIONS } from "../command-line/shared-options.ts";

const OPTIONS = [
  ...LOG_OPTIONS,
  [
    "--profile <profile>",
    "the rules to check",
    { words: ["envelope", "coordinator"], default: "envelope" },
  ],
  [
    "--catalogue <mode>",
    "how to treat unknown types and details",
    { words: ["lenient", "strict"], default: "lenient" },
  ],
  // Not searched for by default, because loading a configuration runs its code.
  ["--config <file>", "a configuration whose plugins declare more event types"],
  ["--chained", "require a hash on every event"],
  ["--heads <file>", "the signed heads of the log, to see whether its end was cut off"],
  ["--key <file>", "the public key of the heads, in PEM"],
] as const satisfies readonly OptionSpec[];
type VerifyOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: {
    file: ["events, one JSON object per line, rotated files in order; - reads standard input"],
  },
  options: OPTIONS,
  help: `
Exit code: 0 no errors, 1 errors were found, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log verify events.jsonl
  $ bylaw log verify events.000000000001-000000000002.jsonl events.jsonl
  $ bylaw log verify events.jsonl --profile coordinator --json
  $ bylaw log verify events.jsonl --heads events.jsonl.heads --key public.pem
  $ bylaw log verify --store runs.db --run main --chained`,
  run: verifyLog,
};

/** Prints the problems of a log. The exit code is 1 if one of them is an error. */
async function verifyLog(files: readonly string[], options: VerifyOptions): Promise<void> {
  const { profile, catalogue: mode, config, chained = false, json = false } = options;
  const source = await sourceOf(files, options);
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

// A log without its first files looks as complete as a rotated one, so the output says that events are missing.
const firstText = (first: number): string => (first > 1 ? `, without those before ${first}` : "");

// A log whose hashes were all removed looks like one that never had any, so the output says that it is not chained.
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
