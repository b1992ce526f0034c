import { isDeepStrictEqual } from "node:util";
import { BylawError, isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import type { Host, HookEntries } from "../host.ts";
import { addMember, applyEdits, dropMembers } from "./edit.ts";
import { memberOf, readJsonc, type JsonNode } from "./jsonc.ts";

/** The entries that make a host run this shell command. */
export const hookEntries = (host: Host, command: string): HookEntries =>
  host.hooks(
    (event) => (event === undefined ? command : `${command} ${event}`),
    Number(/ --wait (\d{1,4})$/.exec(command)?.[1] ?? 0),
  );

/** Adds our hooks to the text of a settings file. `text` is undefined if there is no file. */
export function withHooks(
  text: string | undefined,
  file: string,
  host: Host,
  command: string,
): string {
  const entries = hookEntries(host, command);
  const empty = text === undefined || text.trim() === "";
  let current = empty ? `${JSON.stringify({ ...host.top }, undefined, 2)}\n` : text;
  for (const [key, value] of Object.entries(host.settings ?? {})) {
    const root = objectOf(readJsonc(current, file), file, "The file");
    if (memberOf(root, key) === undefined)
      current = applyEdits(current, [addMember(current, root, value, key)]);
  }
  for (const [event, entry] of Object.entries(entries)) {
    const root = objectOf(readJsonc(current, file), file, "The file");
    const hooks = memberOf(root, "hooks")?.node;
    if (hooks === undefined) {
      current = applyEdits(current, [addMember(current, root, { [event]: [entry] }, "hooks")]);
      continue;
    }
    const list = memberOf(objectOf(hooks, file, "`hooks`"), event)?.node;
    if (list !== undefined && list.kind !== "array")
      throw shapeFault(file, `\`hooks.${event}\``, "a list");
    const edit =
      list === undefined
        ? addMember(current, hooks, [entry], event)
        : addMember(current, list, entry);
    current = applyEdits(current, [edit]);
  }
  return current;
}

/** Removes our hooks from the text of a settings file. Comments and other hooks stay as they are. */
export function withoutHooks(text: string, file: string, host: Host): string {
  let current = text;
  for (;;) {
    const root = readJsonc(current, file);
    const hooks = memberOf(root, "hooks")?.node;
    const lists = hooks?.kind === "object" ? (hooks.members ?? []) : [];
    const found = lists.find(({ node }) => ownIn(node, host).size > 0);
    if (hooks === undefined || found === undefined) return current;
    const own = ownIn(found.node, host);
    const steps: readonly (readonly [JsonNode, ReadonlySet<number>])[] = [
      [root, new Set([root.members?.findIndex(({ key }) => key === "hooks") ?? -1])],
      [hooks, new Set([lists.indexOf(found)])],
      [found.node, own],
    ];
    // If a list holds only our hook, the list is removed. If `hooks` holds only that list, `hooks` is removed.
    const alone = own.size === (found.node.members ?? []).length;
    const [from, which] = steps[alone ? (lists.length === 1 ? 0 : 1) : 2] ?? [root, new Set()];
    current = applyEdits(current, dropMembers(current, from, which));
  }
}

/** Removes the settings that were added with our hooks. `before`: the text without them, whose settings stay. */
export function withoutSettings(
  text: string,
  file: string,
  { settings = {} }: Host,
  before = "",
): string {
  const kept = before.trim() === "" ? undefined : readJsonc(before, file);
  const root = readJsonc(text, file);
  const added = (root.members ?? []).flatMap(({ key, node }, index) =>
    Object.hasOwn(settings, key) &&
    isDeepStrictEqual(node.value, settings[key]) &&
    (kept === undefined || memberOf(kept, key) === undefined)
      ? [index]
      : [],
  );
  return applyEdits(text, dropMembers(text, root, new Set(added)));
}

/** Whether a settings file has all hooks of a command exactly as they were installed. */
export function isIntact(settings: Json, host: Host, command: string): boolean {
  const hooks = isJsonObject(settings) ? settings["hooks"] : undefined;
  return Object.entries(hookEntries(host, command)).every(([event, entry]) => {
    const list = isJsonObject(hooks) ? hooks[event] : undefined;
    return Array.isArray(list) && list.some((one) => isDeepStrictEqual(one, entry));
  });
}

/** The shell command of our hook in a settings file. Undefined if there is none. */
export function commandIn(settings: Json, host: Host): string | undefined {
  for (const text of textsIn(settings)) {
    const found = ours(host).exec(text);
    if (found !== null) return found[1];
  }
  return undefined;
}

/** Whether a settings file has hooks that are not ours. */
export function hasOthers(settings: JsonObject, host: Host): boolean {
  const { hooks } = settings;
  return (
    isJsonObject(hooks) &&
    Object.values(hooks).some(
      (list) => Array.isArray(list) && list.some((one) => commandIn(one, host) === undefined),
    )
  );
}

/** The shell command of our hook in a file that only Bylaw writes, where it is a JSON string. */
export function commandInText(text: string, host: Host): string | undefined {
  const strings = text.match(/"(?:[^"\\\n]|\\.)*"/g) ?? [];
  for (const string of strings) {
    if (!string.includes(` hook ${host.name} `)) continue;
    const found = commandIn(JSON.parse(string) as Json, host);
    if (found !== undefined) return found;
  }
  return undefined;
}

const QUOTED = "'(?:[^']|'\\\\'')*'";

// Matches the command up to the name of the event. It ends with a quoted configuration or with options.
const ours = (host: Host): RegExp =>
  new RegExp(
    `^(.* hook ${host.name} --config ${QUOTED}(?: --strict)?(?: --if-absent ask)?(?: --engine ${QUOTED})?(?: --wait \\d+)?)(?: \\w+)?(?: \\|\\| .*)?$`,
    "s",
  );

const ownIn = (list: JsonNode, host: Host): ReadonlySet<number> =>
  new Set(
    (list.kind === "array" ? (list.members ?? []) : []).flatMap(({ node }, index) =>
      commandIn(node.value, host) === undefined ? [] : [index],
    ),
  );

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function objectOf(node: JsonNode, file: string, what: string): JsonNode {
  if (node.kind === "object") return node;
  throw shapeFault(file, what, "an object");
}

const shapeFault = (file: string, what: string, wanted: string): BylawError =>
  new BylawError({
    code: "BYLAW_HOST_FILE_INVALID",
    message: `${what} is not ${wanted}`,
    fix: "Correct the file, then try again. Nothing was changed.",
    source: { file },
  });
