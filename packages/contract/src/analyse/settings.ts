import { quote } from "@bylaw/wording";
import { parseAlert } from "../alert.ts";
import type { Subject } from "./subject.ts";

export function analyseSettings(subject: Subject): void {
  const { endpoint, fallback_endpoint } = subject.data.enforcement.agent_sdk ?? {};
  analyseTokens(subject);
  analyseToolEnforcement(subject);
  analyseEndpoint(endpoint, "endpoint", subject);
  analyseEndpoint(fallback_endpoint, "fallback_endpoint", subject);
  analysePaths(subject);
  analyseSharedFiles(subject);
  analyseAlerts(subject);
}

function analyseTokens({ data: { enforcement }, transitions, report }: Subject): void {
  const on = enforcement.phase_tokens?.enabled ?? true;
  for (const { requires_token: required, from, to, at } of transitions) {
    const edge = quote(`${from} → ${to}`);
    if (required === true && !on)
      report(
        "token_disabled",
        [...at, "requires_token"],
        `Transition ${edge} requires a token, but \`phase_tokens.enabled\` is false`,
        "Enable tokens, or require none",
      );
    if (required === false && on)
      report(
        "token_waived",
        [...at, "requires_token"],
        `Transition ${edge} needs no token, although tokens are enabled`,
        "Write `requires_token: true`",
      );
  }
}

function analyseToolEnforcement({ data: { enforcement }, report }: Subject): void {
  const { mode = "strict", tool_enforcement: tools } = enforcement;
  const action = tools?.violation_action;
  if (tools?.enabled === false) {
    report(
      "weaker_tools",
      ["enforcement", "tool_enforcement", "enabled"],
      "`tool_enforcement.enabled: false` leaves tool calls to policies alone",
      "Set it to true; `mode: advisory` records without denying",
    );
  } else if (action !== undefined && RANK[ACTION_MODE[action]] < RANK[mode]) {
    report(
      "weaker_tools",
      ["enforcement", "tool_enforcement", "violation_action"],
      `\`violation_action: ${action}\` is laxer than mode ${quote(mode)}`,
      "Write `violation_action: reject`",
    );
  }
}

function analysePaths({ data, report }: Subject): void {
  const { enforcement, coordination, monitoring, schemas_dir, test_command } = data;
  const paths: readonly (readonly [readonly string[], string | undefined])[] = [
    [["schemas_dir"], schemas_dir],
    [["test_command", "report"], test_command?.report],
    [["enforcement", "tool_enforcement", "audit_log"], enforcement.tool_enforcement?.audit_log],
    [["coordination", "event_bus", "db_path"], coordination?.event_bus?.db_path],
    [["monitoring", "export", "path"], monitoring?.export?.path],
  ];
  for (const [at, path] of paths) {
    if (path !== undefined && !isInside(path))
      report(
        "path_outside",
        at,
        `The path ${quote(path)} leads out of the folder of the contract`,
        "Write it relative to that folder, without `..`",
      );
  }
}

// Two writers of one file would mix up their lines, or destroy a database.
function analyseSharedFiles({
  data: { enforcement, coordination, monitoring },
  report,
}: Subject): void {
  const written: readonly (readonly [readonly string[], string | undefined])[] = [
    [["coordination", "event_bus", "db_path"], coordination?.event_bus?.db_path],
    [["monitoring", "export", "path"], monitoring?.export?.path],
    [["enforcement", "tool_enforcement", "audit_log"], enforcement.tool_enforcement?.audit_log],
  ];
  const names = new Map<string, string>();
  for (const [at, path] of written) {
    if (path === undefined) continue;
    const file = path
      .split(/[/\\]/)
      .filter((part) => part !== "" && part !== ".")
      .join("/");
    const other = names.get(file);
    names.set(file, at.join("."));
    if (other !== undefined)
      report(
        "wrong_value",
        at,
        `The file ${quote(path)} is also used by ${quote(other)}`,
        "Name a file of its own",
      );
  }
}

function analyseAlerts({ data: { monitoring }, report }: Subject): void {
  for (const [index, { condition }] of (monitoring?.alerts ?? []).entries()) {
    const read = parseAlert(condition);
    if (typeof read === "string")
      report(
        "wrong_value",
        ["monitoring", "alerts", index, "condition"],
        `The alert condition ${quote(condition)} must be ${read}`,
        "Write `gate_block_rate > 50%` or `task_stuck_in_phase > 2h`",
      );
  }
}

export const ACTION_MODE = { reject: "strict", warn: "permissive", log: "advisory" } as const;
const RANK = { strict: 2, permissive: 1, advisory: 0 } as const;

/** The laxer of two modes. */
export const laxer = (one: keyof typeof RANK, other: keyof typeof RANK): keyof typeof RANK =>
  RANK[one] <= RANK[other] ? one : other;

/** Whether a path stays below its folder, on every system. */
export function isInside(path: string): boolean {
  return (
    !/^[/\\~]|^[A-Za-z]:|:\/\//.test(path) && path.split(/[/\\]/).every((part) => part !== "..")
  );
}

function analyseEndpoint(endpoint: string | undefined, key: string, { report }: Subject): void {
  if (endpoint === undefined || endpoint.startsWith("file://.")) return;
  const at = ["enforcement", "agent_sdk", key];
  const url = URL.parse(endpoint);
  const here = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (
    url?.protocol === "https:" ||
    url?.protocol === "file:" ||
    (url?.protocol === "http:" && here)
  )
    return;
  report(
    "endpoint_open",
    at,
    `The endpoint ${quote(endpoint)} would send tokens unencrypted; use \`https://\`, or \`http://\` on this machine`,
    "Use `https://`",
  );
}
