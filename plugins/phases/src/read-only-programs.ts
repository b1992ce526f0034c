import type { Word } from "@bylaw/shell";

// Programs that only read, unless their arguments say otherwise, which the analysis reports; or that run other programs, which it
// also reports.
const LOOKS: ReadonlySet<string> = new Set(
  (
    "ls cat head tail wc nl tac rev grep egrep fgrep rg ag find fd sort uniq cut tr sed awk jq diff cmp comm paste join column fold expand file stat du df tree " +
    "pwd cd pushd popd echo printf test [ [[ : true false basename dirname realpath readlink date whoami id uname hostname which type hash seq sleep wait exit " +
    "return break continue shift local read set unset export declare sha1sum sha256sum sha512sum md5sum cksum sum od xxd hexdump strings base64 env printenv " +
    "command builtin time timeout nice xargs bash sh dash git"
  ).split(" "),
);
const SYSTEM = /^\/(usr\/(local\/)?)?bin\//;

export function isReadOnly(program: Word | undefined): boolean {
  if (program === undefined) return true;
  const { text } = program;
  return text !== undefined && LOOKS.has(text.replace(SYSTEM, ""));
}
