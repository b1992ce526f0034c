import { BylawError, type Effect } from "@bylaw/kernel";
import { claudeCandidates } from "./claude-rule.ts";
import { EDITORS, folderCandidates } from "./claude-path.ts";
import { Draft } from "./draft.ts";
import type { ImportedPolicy, ImportInput, SourcePlace } from "./finding.ts";
import { member, readJson, shown, type Node } from "./json.ts";
import { SHELL_TOOLS } from "./literal.ts";

// Above the guard against mode `yolo`, and the highest tier in which a file of the workspace may have allow rules.
const TIER = "workspace";
const LISTS: readonly (readonly [key: string, effect: Effect])[] = [
  ["deny", "deny"],
  ["ask", "ask_user"],
  ["allow", "allow"],
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
  const root = readJson(text, file);
  const at = (node: Node, source: string): SourcePlace => ({
    file,
    line: node.line,
    column: node.column,
    source,
  });
  const permissions = member(root, "permissions");
  if (permissions?.kind !== "object") {
    throw new BylawError({
      code: "BYLAW_IMPORT_INVALID",
      message: "The settings have no table `permissions`",
      fix: "Name a settings.json of Claude Code that has permissions",
      source: { file, line: root.line, column: root.column },
    });
  }
  const known = new Set([
    "additionalDirectories",
    "defaultMode",
    "disableBypassPermissionsMode",
    ...LISTS.map(([key]) => key),
  ]);
  for (const [key, node] of permissions.entries) {
    if (!known.has(key))
      draft.find(
        "lost",
        at(node, `${key}: ${shown(node)}`),
        `\`${key}\` has no equivalent in a policy`,
      );
  }
  for (const [key, effect] of LISTS) {
    const list = member(permissions, key);
    if (list === undefined) continue;
    if (list.kind !== "array") {
      miss(effect, draft, at(list, `${key}: ${shown(list)}`), `\`${key}\` is not a list`);
      continue;
    }
    for (const node of list.items) {
      if (node.kind !== "text") {
        miss(effect, draft, at(node, shown(node)), "the rule is not a string");
        continue;
      }
      const place = at(node, node.text);
      const read = claudeCandidates(node.text, effect, scope);
      if ("lost" in read) miss(effect, draft, place, read.lost);
      else for (const candidates of read.rules) draft.add(effect, place, candidates, TIER);
    }
  }
  readModes(permissions, at, draft);
  const folders = member(permissions, "additionalDirectories");
  for (const node of folders?.kind === "array" ? folders.items : []) {
    const place = at(node, `additionalDirectories: ${shown(node)}`);
    const candidates = node.kind === "text" ? folderCandidates(node.text) : [];
    if (candidates.length > 0) draft.add("allow", place, candidates, TIER);
    else
      draft.find(
        "lost",
        place,
        "only a folder with an absolute path, below `~/`, or below the project can be carried over",
      );
  }
  if (folders !== undefined && folders.kind !== "array")
    draft.find("lost", at(folders, shown(folders)), "`additionalDirectories` is not a list");
}

// A lost deny or ask makes every allow doubtful. A lost allow does not.
function miss(effect: Effect, draft: Draft, place: SourcePlace, why: string): void {
  if (effect === "allow") draft.find("lost", place, why);
  else draft.doubt(place, why);
}

function readModes(
  permissions: Node,
  at: (node: Node, source: string) => SourcePlace,
  draft: Draft,
): void {
  const mode = member(permissions, "defaultMode");
  if (mode !== undefined) {
    const place = at(mode, `defaultMode: ${shown(mode)}`);
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
  const disable = member(permissions, "disableBypassPermissionsMode");
  if (disable === undefined) return;
  const place = at(disable, `disableBypassPermissionsMode: ${shown(disable)}`);
  if (disable.kind === "text" && disable.text === "disable") {
    // In the lowest tier, the rule decides only calls that no other rule decides, which are the ones that the mode allows.
    draft.add("ask_user", place, [{ keys: { tool: "*", modes: ["yolo"] } }], "default");
  } else draft.doubt(place, 'expected "disable"');
}
