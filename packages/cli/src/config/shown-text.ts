import { isJsonObject, type Json } from "@bylaw/kernel";
import { paintFor, place, plain, short } from "../io/text.ts";
import type { ShownConfig } from "./shown-config.ts";

/** Prints a configuration for a person. Each option takes one line and is cut if it is long. */
export function shownText(
  { file, settings, plugins }: ShownConfig,
  shown: { readonly settings: boolean },
): string {
  const paint = paintFor(process.stdout);
  const by = (from: string): string => paint("dim", `(${plain(from)})`);
  const lines = [
    place({ file }),
    ...(shown.settings
      ? settings.map(({ key, value, from }) => `  ${key}: ${String(value)} ${by(from)}`)
      : []),
  ];
  for (const { plugin, version, uses, dropped } of plugins) {
    lines.push(paint("bold", plain(`${plugin} ${version}`)));
    for (const { from, also, without, options } of uses) {
      lines.push(`  from ${plain(from)}`);
      lines.push(...also.map((way) => `  also ${plain(way)} ${by("counts once")}`));
      for (const [key, value] of isJsonObject(options as Json)
        ? Object.entries(options as object)
        : [])
        lines.push(`    ${plain(key)}: ${short(JSON.stringify(value) ?? "undefined", 200)}`);
      if (without.length > 0) lines.push(`    without: ${without.map(plain).join(", ")}`);
    }
    lines.push(...dropped.map((way) => `  dropped ${plain(way)} ${by("without")}`));
  }
  return lines.join("\n");
}
