import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { AGAINST_OPTION, verifyNamed } from "../ruleset/verify-named.ts";
import { verifiedJson, verifiedText } from "../ruleset/verify-text.ts";

const OPTIONS = [AGAINST_OPTION, JSON_OPTION] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: {
    package: [
      'a folder, a tarball, an installed package, or NAME@VERSION from the registry; its code runs (default: ".")',
    ],
  },
  options: OPTIONS,
  help: `
A version that is less strict than the one before has to be a major version.
Exit code: 0 fit to be published, 1 a problem was found, 2 usage error or a package that cannot be read.

Examples:
  $ bylaw ruleset verify acme-rules
  $ bylaw ruleset verify acme-rules --against acme-rules-0.1.0.tgz --json`,
  run: verify,
};

/** Verifies a package. The exit code is 1 if a problem stops it from being published. */
async function verify(
  named = ".",
  { against, json = false }: OptionsOf<typeof OPTIONS>,
): Promise<void> {
  const { ruleset, verified } = await verifyNamed(named, against);
  await write(
    json ? jsonLine(verifiedJson(ruleset, verified)) : `${verifiedText(ruleset, verified)}\n`,
  );
  conclude(verified.problems.length === 0 ? 0 : 1);
}
