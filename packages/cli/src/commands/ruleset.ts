import type { GroupSpec } from "../command-line/command.ts";

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw ruleset new @acme/rules
  $ bylaw ruleset verify acme-rules --against acme-rules-0.1.0.tgz
  $ bylaw ruleset diff acme-rules-0.1.0.tgz acme-rules`,
  commands: {
    "new [options] <name>": [
      "Make a ruleset as an npm package, with a policy and cases",
      () => import("./ruleset-new.ts"),
    ],
    "verify [options] [package]": [
      "Verify that a ruleset is fit to be published, and not less strict than before",
      () => import("./ruleset-verify.ts"),
    ],
    "pack [options] [dir]": [
      "Verify a ruleset and make the tarball that npm publishes",
      () => import("./ruleset-pack.ts"),
    ],
    "sign [options] [dir]": ["Sign the digest of a ruleset", () => import("./ruleset-sign.ts")],
    "accept [options] <name>": [
      "Accept the installed version of a ruleset: no other one loads from then on",
      () => import("./ruleset-accept.ts"),
    ],
    "diff [options] <old> <new>": [
      "List the calls that two versions of a ruleset decide differently",
      () => import("./ruleset-diff.ts"),
    ],
  },
};
