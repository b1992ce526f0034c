import { file, type Findings } from "./findings.ts";
import { hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { known } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

/** dpkg: a mode, then packages, or an archive and a directory. */
export const DPKG: Spec = {
  options: options`-r,--remove -P,--purge -l,--list -L,--listfiles -S,--search -s,--status -p,--print-avail -V,--verify -c,--contents
    -I,--info -f,--field --ctrl-tarfile --fsys-tarfile --configure -C,--audit --force-all --get-selections --print-architecture
    --print-foreign-architectures --compare-versions --version ${kind.flagThat("write")} -i,--install -b,--build -x,--extract -e,--control
    -X,--vextract --unpack ${kind.script} --pre-invoke --post-invoke --status-logger ${kind.write} --root --admindir --instdir --log
    ${kind.value} -D,--debug`,
  more: dpkg,
};

/** The modes that only read. dpkg accepts one mode per call. */
export const DPKG_LOOKS =
  "list listfiles search status print-avail verify contents info field audit get-selections print-architecture print-foreign-architectures compare-versions version help";

// Modes with package names as operands. dpkg rejects them together with other modes.
const NAMES =
  "list listfiles search status print-avail verify audit compare-versions remove purge configure";
const ARCHIVES =
  "install build contents info field extract control vextract ctrl-tarfile fsys-tarfile unpack";

function dpkg(use: ParsedArgs, out: Findings): void {
  const [first, second] = use.operands;
  if (!hasOption(use, NAMES) || hasOption(use, ARCHIVES))
    for (const { word } of use.operands) file(out, "read", word);
  if (hasOption(use, "extract vextract") && second !== undefined)
    file(out, "write", second.word, { below: true });
  if (hasOption(use, "control"))
    file(out, "write", second?.word ?? known("DEBIAN"), { below: true });
  if (!hasOption(use, "build") || first === undefined) return;
  file(out, "read", first.word, { below: true });
  if (second !== undefined) file(out, "write", second.word);
  else if (first.word.text !== undefined)
    file(out, "write", known(`${first.word.text.replace(/\/+$/, "")}.deb`));
}
