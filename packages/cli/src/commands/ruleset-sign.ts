import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageDigest, SIGNATURE_FILE } from "@bylaw/config";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { place } from "../io/text.ts";
import { unreadable } from "../ruleset/npm.ts";
import { filesOf } from "../ruleset/package-files.ts";
import { withPackages } from "../ruleset/package-place.ts";
import { signDigest } from "../ruleset/signature.ts";

const OPTIONS = [
  [
    "--key <file>",
    "an Ed25519 private key in PKCS #8 with mode 0600 (default: what BYLAW_SIGNING_KEY holds)",
  ],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  arguments: { dir: ['the folder of the ruleset (default: ".")'] },
  options: OPTIONS,
  help: `
Writes ${SIGNATURE_FILE}, a JWS of the digest without its content. Sign last: any change of a file needs another signature.
Exit code: 0 signed, 2 usage error, or a key or a package that cannot be used.

Examples:
  $ openssl genpkey -algorithm ed25519 -out key.pem && bylaw ruleset sign acme-rules --key key.pem`,
  run: sign,
};

async function sign(dir = ".", { key, json = false }: OptionsOf<typeof OPTIONS>): Promise<void> {
  await withPackages([dir], async ([found]) => {
    if (found === undefined) throw new TypeError("no package");
    const file = join(found.folder, SIGNATURE_FILE);
    const digest = packageDigest(await filesOf(found));
    writeFileSync(file, `${await signDigest(digest, key)}\n`);
    // npm chooses what it publishes by the names that are there.
    const published = await filesOf(found);
    if (!published.some(({ path }) => path === SIGNATURE_FILE)) {
      rmSync(file);
      throw unreadable(`npm would not publish \`${SIGNATURE_FILE}\``, {
        fix: `Add "${SIGNATURE_FILE}" to \`files\` in \`package.json\`, and sign again`,
        file: join(found.folder, "package.json"),
      });
    }
    await write(json ? jsonLine({ digest, file }) : `signed ${digest} in ${place({ file })}\n`);
    conclude(0);
  });
}
