import { file, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses, type Use } from "./use.ts";
import { known } from "./words.ts";

/** dpkg: a mode, then packages, or an archive and a folder. */
export const DPKG: Spec = {
  options: `-i,--install!w -r,--remove -P,--purge -l,--list -L,--listfiles -S,--search -s,--status -p,--print-avail -V,--verify -b,--build!w -c,--contents -I,--info -f,--field -x,--extract!w -e,--control!w
    -X,--vextract!w --ctrl-tarfile --fsys-tarfile --unpack!w --configure -C,--audit --pre-invoke=script!r --post-invoke=script!r --status-logger=script!r --root=write!w --admindir=write!w --instdir=write!w
    --log=write!w -D,--debug= --force-all --get-selections --print-architecture --print-foreign-architectures --compare-versions --version -?,--help`,
  more: dpkg,
};

/** The modes in which it only looks; it takes one mode. */
export const DPKG_LOOKS =
  "list listfiles search status print-avail verify contents info field audit get-selections print-architecture print-foreign-architectures compare-versions version help";

// Their words are names of packages; with another mode it refuses both.
const NAMES = "list listfiles search status print-avail verify audit compare-versions remove purge configure";
const ARCHIVES = "install build contents info field extract control vextract ctrl-tarfile fsys-tarfile unpack";

function dpkg(use: Use, out: Out): void {
  const [first, second] = use.operands;
  if (!uses(use, NAMES) || uses(use, ARCHIVES)) for (const { word } of use.operands) file(out, "read", word);
  if (uses(use, "extract vextract") && second !== undefined) file(out, "write", second.word, { below: true });
  if (uses(use, "control")) file(out, "write", second?.word ?? known("DEBIAN"), { below: true });
  if (!uses(use, "build") || first === undefined) return;
  file(out, "read", first.word, { below: true });
  if (second !== undefined) file(out, "write", second.word);
  else if (first.word.text !== undefined) file(out, "write", known(`${first.word.text.replace(/\/+$/, "")}.deb`));
}
