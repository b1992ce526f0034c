import { mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { place, plain } from "../io/text.ts";
import { npmPack } from "../ruleset/npm.ts";
import { AGAINST_OPTION, verifyNamed } from "../ruleset/verify-named.ts";
import { verifiedJson, verifiedText } from "../ruleset/verify-text.ts";

const OPTIONS = [
  ["--out <folder>", 'where to write the tarball (default: ".")'],
  AGAINST_OPTION,
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: { dir: ['the folder of the ruleset (default: ".")'] },
  options: OPTIONS,
  help: `
Scripts of the package do not run: build it first.
Exit code: 0 written, 1 a problem was found and nothing was written, 2 usage error or a package that cannot be read.

Examples:
  $ bylaw ruleset pack acme-rules
  $ bylaw ruleset pack acme-rules --out dist --json`,
  run: pack,
};

/** Writes the tarball of a ruleset if it has no problem. The exit code is 1 if it has one. */
async function pack(
  dir = ".",
  { out = ".", against, json = false }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const { ruleset, verified } = await verifyNamed(dir, against);
  const sound = verified.problems.length === 0;
  const tarball = sound ? await tarballOf(ruleset.folder, resolve(out)) : undefined;
  const files = ruleset.files.map(({ path }) => path);
  await write(
    json
      ? jsonLine({ ...verifiedJson(ruleset, verified), tarball, files })
      : [
          verifiedText(ruleset, verified),
          ...(tarball === undefined
            ? []
            : [...files.map((file) => `  ${plain(file)}`), `wrote ${place({ file: tarball })}`]),
          "",
        ].join("\n"),
  );
  conclude(sound ? 0 : 1);
}

async function tarballOf(folder: string, into: string): Promise<string> {
  mkdirSync(into, { recursive: true });
  const { filename } = await npmPack(["--pack-destination", into], folder);
  return join(into, basename(String(filename)));
}
