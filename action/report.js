const CHANGES = 50;

/** Text in a table of a comment. What an agent wrote must not become a link, a mention or HTML. */
const code = (text) =>
  `<code>${String(text)
    .slice(0, 200)
    .replace(/[&<>|@#`*_[\]\\~!:\n\r]/g, (character) => `&#${character.codePointAt(0)};`)}</code>`;

const amount = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;

/** The report in Markdown. */
export function report({ findings, test, flips, replay }) {
  const errors = findings.filter(({ severity }) => severity === "error");
  const lines = ["## Bylaw", ""];
  lines.push(
    `- Lint: ${amount(errors.length, "error")}, ${amount(findings.length - errors.length, "warning")}`,
  );
  if (test?.cases !== undefined)
    lines.push(`- Test: ${test.passed} of ${amount(test.cases, "case")} passed`);
  if (replay?.summary !== undefined)
    lines.push(
      `- Replay: ${amount(flips.length, "decision")} of ${replay.summary.calls} would change, ${replay.summary.not_replayable} could not be replayed`,
    );
  if (flips.length > 0)
    lines.push("", "| Was | Becomes | Call | Rule |", "| --- | --- | --- | --- |");
  for (const { recorded, candidate, tool, args } of flips.slice(0, CHANGES))
    lines.push(
      `| ${code(recorded.effect)} | ${code(candidate.effect)} | ${code(tool)} ${code(JSON.stringify(args))} | ${code(candidate.rule?.name ?? candidate.code)} |`,
    );
  if (flips.length > CHANGES) lines.push("", `And ${flips.length - CHANGES} more.`);
  if (test?.failures?.length > 0)
    lines.push("", "| Failed case | What went wrong |", "| --- | --- |");
  for (const { id, wrong } of (test?.failures ?? []).slice(0, CHANGES))
    lines.push(`| ${code(id)} | ${code(wrong)} |`);
  return `${lines.join("\n")}\n`;
}

const escaped = (text) =>
  String(text).replace(/[%\r\n]/g, (character) => encodeURIComponent(character));
const property = (text) =>
  escaped(text).replace(/[:,]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

/** A finding as a command to the runner, which shows it beside the line. */
export function annotation({ severity, message, fix, file, line }) {
  const place = Object.entries({ file, line })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${property(value)}`)
    .join(",");
  const text = fix === undefined ? message : `${message}. ${fix}`;
  return `::${severity === "error" ? "error" : "warning"}${place && ` ${place}`}::${escaped(text)}`;
}

/** Findings as SARIF 2.1.0. */
export function sarif(findings) {
  const results = findings.map(({ code: ruleId, severity, message, fix, file, line, column }) => ({
    ruleId,
    level: severity === "error" ? "error" : "warning",
    message: { text: fix === undefined ? message : `${message}. ${fix}` },
    locations:
      file === undefined
        ? []
        : [
            {
              physicalLocation: {
                artifactLocation: { uri: file.replaceAll("\\", "/") },
                region: { startLine: line ?? 1, startColumn: column ?? 1 },
              },
            },
          ],
  }));
  const rules = [...new Set(findings.map((finding) => finding.code))].map((id) => ({ id }));
  const driver = { name: "Bylaw", informationUri: "https://github.com/bylaw/bylaw", rules };
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  };
}
