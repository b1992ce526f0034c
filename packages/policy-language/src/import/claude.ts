import { BylawError, type Effect } from "@bylaw/kernel";
import { claudeCandidates } from "./claude-rule.ts";
import { EDITORS, folderCandidates } from "./claude-path.ts";
import { Draft } from "./draft.ts";
import type { ImportedPolicy, ImportInput } from "./finding.ts";
import { member, placeOf, readJson, shown, type Node } from "./json.ts";
import { SHELL_TOOLS } from "./literal.ts";

// Above the guard against mode `yolo`, and the highest tier in which a file of the workspace may have allow rules.
const TIER = "workspace";
const LISTS: readonly (readonly [key: string, effect: Effect])[] = [
  ["deny", "deny"],
  ["ask", "ask_user"],
  ["allow", "allow"],
];
const KEYS: readonly string[] = [
  "additionalDirectories",
  "defaultMode",
  "disableBypassPermissionsMode",
  ...LISTS.map(([key]) => key),
];

/** Translates the `permissions` of Claude Code's settings into a policy. All files count as one list, because Claude Code merges them. */
export function importClaude(inputs: readonly ImportInput[]): ImportedPolicy {
  const draft = new Draft();
  for (const input of inputs) readSettings(input, draft);
  return draft.finish(
    `Imported from Claude Code's permissions: ${inputs.map(({ file }) => file).join(", ")}`,
  );
}

function readSettings({ file, text, scope = "project" }: ImportInput, draft: Draft): void {
  const permissions = permissionsIn(text, file);
  for (const [key, node] of permissions.entries) {
    if (KEYS.includes(key)) continue;
    const place = placeOf(file, node, `${key}: ${shown(node)}`);
    draft.find("lost", place, `\`${key}\` has no equivalent in a policy`);
  }
  for (const [key, effect] of LISTS) {
    const list = member(permissions, key);
    const lose = (node: Node, source: string, why: string): void =>
      draft.lose(effect, placeOf(file, node, source), why);
    if (list !== undefined && list.kind !== "array")
      lose(list, `${key}: ${shown(list)}`, `\`${key}\` is not a list`);
    for (const node of list?.kind === "array" ? list.items : []) {
      if (node.kind !== "text") {
        lose(node, shown(node), "the rule is not a string");
        continue;
      }
      const place = placeOf(file, node, node.text);
      const read = claudeCandidates(node.text, effect, scope);
      if ("lost" in read) draft.lose(effect, place, read.lost);
      else for (const candidates of read.rules) draft.add(effect, place, candidates, TIER);
    }
  }
  readMode(permissions, file, draft);
  readDisabledMode(permissions, file, draft);
  readFolders(permissions, file, draft);
}

function permissionsIn(text: string, file: string): Extract<Node, { readonly kind: "object" }> {
  const root = readJson(text, file);
  const permissions = member(root, "permissions");
  if (permissions?.kind === "object") return permissions;
  throw new BylawError({
    code: "BYLAW_IMPORT_INVALID",
    message: "The settings have no table `permissions`",
    fix: "Name a settings.json of Claude Code that has permissions",
    source: { file, line: root.line, column: root.column },
  });
}

function readFolders(permissions: Node, file: string, draft: Draft): void {
  const folders = member(permissions, "additionalDirectories");
  if (folders === undefined) return;
  if (folders.kind !== "array") {
    const place = placeOf(file, folders, shown(folders));
    return draft.find("lost", place, "`additionalDirectories` is not a list");
  }
  for (const node of folders.items) {
    const place = placeOf(file, node, `additionalDirectories: ${shown(node)}`);
    const candidates = node.kind === "text" ? folderCandidates(node.text) : [];
    if (candidates.length > 0) draft.add("allow", place, candidates, TIER);
    else
      draft.find(
        "lost",
        place,
        "only a folder with an absolute path, below `~/`, or below the project can be carried over",
      );
  }
}

function readMode(permissions: Node, file: string, draft: Draft): void {
  const mode = member(permissions, "defaultMode");
  if (mode === undefined) return;
  const place = placeOf(file, mode, `defaultMode: ${shown(mode)}`);
  switch (mode.kind === "text" ? mode.text : "") {
    case "default":
      break;
    case "dontAsk":
      draft.setDefault("deny");
      break;
    case "plan":
      draft.add(
        "ask_user",
        place,
        [
          {
            keys: { tool: `${EDITORS}|${SHELL_TOOLS}` },
            note: "Bylaw has no plan mode, so edits and commands need approval until you remove this rule",
          },
        ],
        TIER,
      );
      break;
    case "acceptEdits":
      draft.find(
        "lost",
        place,
        "a policy cannot set an approval mode: set `approval_mode` to `autoEdit` in bylaw.config",
      );
      break;
    case "bypassPermissions":
      draft.find(
        "lost",
        place,
        "a policy cannot set an approval mode: set `approval_mode` to `yolo` in bylaw.config if you must",
      );
      break;
    default:
      draft.find(
        "lost",
        place,
        "Bylaw has no such mode; a call that no rule decides needs approval",
      );
  }
}

function readDisabledMode(permissions: Node, file: string, draft: Draft): void {
  const disable = member(permissions, "disableBypassPermissionsMode");
  if (disable === undefined) return;
  const place = placeOf(file, disable, `disableBypassPermissionsMode: ${shown(disable)}`);
  if (disable.kind === "text" && disable.text === "disable") {
    // In the lowest tier, the rule decides only calls that no other rule decides, which are the ones that the mode allows.
    draft.add("ask_user", place, [{ keys: { tool: "*", modes: ["yolo"] } }], "default");
  } else draft.doubt(place, "`disableBypassPermissionsMode` can only be `disable`");
}
