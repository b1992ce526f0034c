import { basename } from "node:path";
import { isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import type { Host, HostPlace, SettingsFile } from "../host.ts";
import { variablesIn } from "../misleading.ts";
import { commandIn, commandInText, hasOthers, isIntact } from "./hook-entries.ts";
import { readFor } from "./jsonc.ts";
import { readSettings } from "./settings-text.ts";

/** The state of the Bylaw hook in a settings file. */
export interface SettingsReport extends SettingsFile {
  readonly exists: boolean;
  /** The shell command of our hook, if it is installed here. */
  readonly command?: string;
  /** Whether all of our hooks are exactly as they were installed. */
  readonly intact?: boolean;
  /** The setting that switches hooks off or replaces their command. */
  readonly off?: string;
  /** The event whose hooks here replace ours in another file of the same scope. */
  readonly replaces?: string;
  /** What runs commands without asking Bylaw: other hooks, which can also change a call, and settings of a project. */
  readonly others?: readonly string[];
  /** The reason why the file cannot be read. */
  readonly fault?: string;
}

/** Inspects every settings file of a host. `over`: settings that win over all but managed files. Never throws. */
export const inspectSettings = (
  host: Host,
  place: HostPlace,
  project: string,
  over: JsonObject = {},
): readonly SettingsReport[] =>
  host.files(place, project).map((one) => reportOn(host, one, one.scope === "managed" ? {} : over));

/**
 * The reason why a host would not ask Bylaw, with the file. Undefined if it would. Files below cannot switch off a hook that an
 * administrator manages. `command`: the command that must be installed; any of Bylaw's if left out.
 */
export function findInstallFault(
  host: Host,
  reports: readonly SettingsReport[],
  command?: string,
): string | undefined {
  const present = reports.filter((one) => one.command !== undefined);
  const installed = present.filter((one) => command === undefined || one.command === command);
  const broken = reports.find(({ fault }) => fault !== undefined);
  const faulty = broken && `${broken.file}: ${String(broken.fault)}`;
  if (installed.length === 0)
    return faulty ?? `The hook of Bylaw is not installed for ${host.title}`;
  const changed = installed.find(({ intact }) => intact !== true);
  if (changed !== undefined) return `The hooks of Bylaw in ${changed.file} were changed`;
  const managed = installed.some(({ scope }) => scope === "managed");
  const off = reports.find(
    ({ off: setting, scope }) => setting !== undefined && (scope === "managed" || !managed),
  );
  if (off !== undefined) return `${off.file} has ${String(off.off)}`;
  const other = reports.find(
    (one) => one.replaces !== undefined && installed.some(({ scope }) => scope === one.scope),
  );
  if (other !== undefined)
    return `${other.file} has \`${String(other.replaces)}\`, which replaces the hook of Bylaw. Move its hooks to the settings file that has the hook of Bylaw`;
  return managed ? undefined : faulty;
}

const othersIn = (
  settings: JsonObject,
  host: Host,
  scope: SettingsFile["scope"],
): readonly string[] => [
  ...(hasOthers(settings, host) ? ["other hooks"] : []),
  ...((scope === "project" && host.unjudged?.settings) || [])
    .filter((key) => Object.hasOwn(settings, key))
    .map((key) => `\`${key}\``),
];

// A file that only Bylaw writes is compared as a whole.
function ownReport(host: Host, settings: SettingsFile, text: string): SettingsReport | undefined {
  if (host.ownFile?.(settings.file, "") === undefined) return undefined;
  const command = commandInText(text, host);
  if (command === undefined) return { ...settings, exists: true };
  const intact = host.ownFile(settings.file, command) === text;
  return { ...settings, exists: true, command, intact };
}

const settingsIn = (value: Json, { only_hooks }: SettingsFile): Json =>
  only_hooks === true ? { hooks: value } : value;

/** The first event of our hooks that is under `hooks`. */
function firstOwnEvent(settings: Json, host: Host): string | undefined {
  const hooks = isJsonObject(settings) ? settings["hooks"] : undefined;
  if (!isJsonObject(hooks)) return undefined;
  return Object.keys(host.hooks(() => "")).find((event) => Object.hasOwn(hooks, event));
}

function reportOn(host: Host, settings: SettingsFile, over: JsonObject): SettingsReport {
  try {
    const text = readSettings(settings.file);
    if (text === undefined) return { ...settings, exists: false };
    if (text.trim() === "") return { ...settings, exists: true };
    const isText = !/\.jsonc?$/.test(settings.file);
    const isEnv = basename(settings.file) === ".env";
    const own = ownReport(host, settings, text);
    if (own !== undefined) return own;
    const value = isEnv
      ? { env: variablesIn(text) }
      : isText
        ? { text }
        : settingsIn(readFor(host, text, settings.file).value, settings);
    const command = isText ? undefined : commandIn(value, host);
    const intact = command === undefined ? undefined : isIntact(value, host, command);
    const off = isJsonObject(value)
      ? host.switchedOff({ ...value, ...over }, settings.scope)
      : undefined;
    const others = isJsonObject(value) ? othersIn(value, host, settings.scope) : [];
    const replaces = settings.only_hooks === true ? firstOwnEvent(value, host) : undefined;
    return {
      ...settings,
      exists: true,
      ...(command === undefined ? {} : { command, intact: intact === true }),
      ...(off === undefined ? {} : { off }),
      ...(replaces === undefined || intact === true ? {} : { replaces }),
      ...(others.length === 0 ? {} : { others }),
    };
  } catch (error) {
    return { ...settings, exists: true, fault: messageOf(error) };
  }
}
