import { quote } from "@bylaw/wording";
import { parseAlert } from "../alert.ts";
import type { Subject } from "./subject.ts";

/** What is wrong with tokens, enforcement, places and alerts. */
export function analyseSettings(subject: Subject): void {
  const { data, transitions, report } = subject;
  const { enforcement, coordination, monitoring, schemas_dir, test_command } = data;
  const on = enforcement.phase_tokens?.enabled ?? true;
  for (const { requires_token: required, from, to, at } of transitions) {
    const edge = quote(`${from} → ${to}`);
    if (required === true && !on)
      report(
        "token_disabled",
        [...at, "requires_token"],
        `Unexpected \`requires_token\` at ${edge} where tokens are off, expected \`phase_tokens.enabled: true\``,
        "turn tokens on, or require none",
      );
    if (required === false && on)
      report(
        "token_waived",
        [...at, "requires_token"],
        `Unexpected transition ${edge} without a token where tokens are on, expected one that needs it`,
        "write `requires_token: true`",
      );
  }
  const { mode = "strict", tool_enforcement: tools, agent_sdk: sdk } = enforcement;
  const action = tools?.violation_action;
  if (tools?.enabled === false) {
    report(
      "weaker_tools",
      ["enforcement", "tool_enforcement", "enabled"],
      "Unexpected tool calls that are held to nothing, expected `enabled: true`",
      "turn it on; `mode: advisory` only records",
    );
  } else if (action !== undefined && RANK[ACTION_MODE[action]] < RANK[mode]) {
    report(
      "weaker_tools",
      ["enforcement", "tool_enforcement", "violation_action"],
      `Unexpected \`violation_action: ${action}\` under mode ${quote(mode)}, expected tool calls to be held to as much as transitions`,
      "write `violation_action: reject`",
    );
  }
  analyseEndpoint(sdk?.endpoint, "endpoint", subject);
  analyseEndpoint(sdk?.fallback_endpoint, "fallback_endpoint", subject);
  const paths: readonly (readonly [readonly string[], string | undefined])[] = [
    [["schemas_dir"], schemas_dir],
    [["test_command", "report"], test_command?.report],
    [["enforcement", "tool_enforcement", "audit_log"], tools?.audit_log],
    [["coordination", "event_bus", "db_path"], coordination?.event_bus?.db_path],
    [["monitoring", "export", "path"], monitoring?.export?.path],
  ];
  for (const [at, path] of paths) {
    if (path !== undefined && !isInside(path))
      report(
        "path_outside",
        at,
        `Unexpected path ${quote(path)}, expected one below the folder of the contract`,
        "write it from there, without `..`",
      );
  }
  for (const [index, { condition }] of (monitoring?.alerts ?? []).entries()) {
    const read = parseAlert(condition);
    if (typeof read === "string")
      report(
        "wrong_value",
        ["monitoring", "alerts", index, "condition"],
        `Unexpected alert condition ${quote(condition)}, expected ${read}`,
        "write `gate_block_rate > 50%` or `task_stuck_in_phase > 2h`",
      );
  }
}

export const ACTION_MODE = { reject: "strict", warn: "permissive", log: "advisory" } as const;
const RANK = { strict: 2, permissive: 1, advisory: 0 } as const;

/** Whether a path stays below where it begins, on every system. */
export function isInside(path: string): boolean {
  return !/^[/\\~]|^[A-Za-z]:|:\/\//.test(path) && path.split(/[/\\]/).every((part) => part !== "..");
}

function analyseEndpoint(endpoint: string | undefined, key: string, { report }: Subject): void {
  if (endpoint === undefined || endpoint.startsWith("file://.")) return;
  const at = ["enforcement", "agent_sdk", key];
  const url = URL.parse(endpoint);
  const here = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url?.protocol === "https:" || url?.protocol === "file:" || (url?.protocol === "http:" && here)) return;
  report(
    "endpoint_open",
    at,
    `Unexpected endpoint ${quote(endpoint)}, expected \`https://\`, or \`http://\` on this machine`,
    "tokens go there: encrypt the way",
  );
}
