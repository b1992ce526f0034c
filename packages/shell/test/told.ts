import { analyze, type Effect, type ShellCommand } from "../src/index.ts";

/** Returns the only command of a line, not counting the commands that it runs. Throws if the line has none. */
export function commandOf(line: string): ShellCommand {
  const [first] = analyze(line).commands;
  if (first === undefined) throw new Error(`The line has no command: ${line}`);
  return first;
}

/** Returns `word:does` for each hazard of the first command. */
export function hazardsOf(line: string): readonly string[] {
  const { argv, hazards } = commandOf(line);
  return hazards.map(({ at, does }) => `${argv[at]?.text ?? "?"}:${does}`);
}

/** Returns the commands that the first one runs, as text, with `?` for each unknown word. */
export function runsOf(line: string): readonly string[] {
  const [, ...rest] = analyze(line).commands;
  return rest.map(
    ({ argv, remote }) => argv.map(({ text }) => text ?? "?").join(" ") + (remote ? " @" : ""),
  );
}

/** Returns the codes of all unknown parts in a line. */
export function doubtsOf(line: string): readonly string[] {
  const { commands, unknown } = analyze(line);
  return [
    ...new Set(
      [...unknown, ...commands.flatMap((command) => command.unknown)].map(({ code }) => code),
    ),
  ];
}

/** Returns the effects of the first command: `read src`, `write+ .` (all below), `read+> .` (through links), `write+?anything x` (if there is one), `network host`, … */
export function effectsOf(line: string): readonly string[] {
  return [...new Set(commandOf(line).effects.map(told))];
}

function told(effect: Effect): string {
  if ("path" in effect) {
    const { path } = effect;
    const place = path.text === undefined ? "?" : (path.pattern ?? path.text);
    const only = effect.only === undefined ? "" : ` (${effect.only.join(" ")})`;
    const visible = effect.visible === true ? " (visible)" : "";
    return `${effect.kind}${effect.below === true ? "+" : ""}${effect.follows === true ? ">" : ""}${effect.needs === undefined ? "" : `?${effect.needs}`} ${place}${only}${visible}`;
  }
  if (effect.kind === "network") return `network ${effect.host ?? "?"}`;
  return effect.kind === "vcs" ? `vcs ${effect.action}` : effect.kind;
}
