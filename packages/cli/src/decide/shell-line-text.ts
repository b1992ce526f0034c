import type { LineReport } from "@bylaw/policy-language";
import { plain, short, type Paint } from "../io/text.ts";

/** Prints the analysis of a shell line, for authors of rules. */
export function lineText({ commands, unknown }: LineReport, paint: Paint): string {
  const lines = commands.flatMap(({ text, origin, effects, hazards, unknown: doubts }) => [
    `  ${paint("bold", short(text, 200))}${origin === "line" ? "" : ` ${paint("dim", `(${plain(origin)})`)}`}`,
    ...(effects.length === 0
      ? []
      : [`    does: ${effects.map((effect) => short(effect, 120)).join(", ")}`]),
    ...(hazards.length === 0
      ? []
      : [`    an allow must spell out: ${hazards.map((hazard) => short(hazard, 120)).join(", ")}`]),
    ...doubts.map((what) => `    ${paint("yellow", "unknown:")} ${plain(what)}`),
  ]);
  const whole = unknown.map((what) => `  ${paint("yellow", "unknown:")} ${plain(what)}`);
  return [paint("bold", "the line, command by command"), ...lines, ...whole].join("\n");
}
