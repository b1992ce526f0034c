import { BylawError, type Projection } from "@bylaw/kernel";
import { formatLocation } from "@bylaw/wording";
import type { PolicyPool } from "@bylaw/policy-language";

/** The projections that conditions ask about, by name. */
export type AskedProjections = ReadonlyMap<string, Projection<unknown>>;

/**
 * Finds the projections that conditions ask about among those that the kernel's plugins declare. Throws BYLAW_POLICY_INVALID if one
 * is missing.
 */
export function askedProjections(
  { projections: wanted }: PolicyPool,
  declared: readonly Projection<unknown>[],
): AskedProjections {
  return new Map(
    [...wanted].map(([name, { name: rule, file, line }]) => {
      const [found, second] = [...new Set(declared)].filter(
        (projection) => projection.name === name,
      );
      if (found !== undefined && second === undefined) return [name, found];
      const names = [...new Set(declared.map((projection) => projection.name))].sort();
      const known =
        names.length === 0
          ? "none is declared"
          : `declared are ${names.map((one) => `\`${one}\``).join(", ")}`;
      throw new BylawError({
        code: "BYLAW_POLICY_INVALID",
        message:
          found === undefined
            ? `${formatLocation({ file, line })}: The rule \`${rule}\` asks about the projection \`${name}\`, which no plugin declares`
            : `${formatLocation({ file, line })}: The rule \`${rule}\` asks about the projection \`${name}\`, which two plugins declare`,
        fix:
          found === undefined
            ? `${known}; add the plugin that declares it to the configuration`
            : "Rename one in its plugin",
        source: { file, line },
      });
    }),
  );
}
