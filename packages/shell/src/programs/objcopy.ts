import { file, hazard, type FileKind, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { usedOf, type Use } from "./use.ts";
import { after, known, prefix, unknownWord } from "./words.ts";

/** objcopy: an object file, which is changed where no other is named behind it. */
export const OBJCOPY: Spec = {
  options: `-I,-s,--input-target= -O,-d,--output-target= -B,--binary-architecture= -F,--target= --debugging -p,--preserve-dates -D,--enable-deterministic-archives -U,--disable-deterministic-archives
    -j,--only-section= --add-gnu-debuglink=read -R,--remove-section= --remove-relocations= -S,--strip-all -g,--strip-debug --strip-dwo --strip-unneeded -N,--strip-symbol= --strip-unneeded-symbol=
    --only-keep-debug --extract-dwo --extract-symbol --keep-section= -K,--keep-symbol= --keep-section-symbols --keep-file-symbols --localize-hidden -L,--localize-symbol= --globalize-symbol=
    -G,--keep-global-symbol= -W,--weaken-symbol= --weaken -w,--wildcard -x,--discard-all -X,--discard-locals -i= --interleave? --interleave-width= -b,--byte= --gap-fill= --pad-to= --set-start=
    --change-start= --adjust-start= --change-addresses= --adjust-vma= --change-section-address= --adjust-section-vma= --change-section-lma= --change-section-vma= --change-warnings
    --no-change-warnings --adjust-warnings --no-adjust-warnings --set-section-flags= --set-section-alignment= --add-section=!l --update-section=!l --dump-section=!w --rename-section=
    --long-section-names= --change-leading-char --remove-leading-char --reverse-bytes= --redefine-sym= --redefine-syms=read --srec-len= --srec-forceS3 --strip-symbols=read
    --strip-unneeded-symbols=read --keep-symbols=read --localize-symbols=read --globalize-symbols=read --keep-global-symbols=read --weaken-symbols=read --add-symbol= --alt-machine-code=
    --writable-text --readonly-text --pure --impure --prefix-symbols= --prefix-sections= --prefix-alloc-sections= --file-alignment= --heap= --image-base= --section-alignment= --stack= --subsystem=
    --compress-debug-sections? --decompress-debug-sections --elf-stt-common= --verilog-data-width= -M,--merge-notes --no-merge-notes --split-dwo=write!w -v,--verbose -V,--version -h,-H,--help --info`,
  operands: "read write",
  inert: "version help info",
  more: objcopy,
};

function objcopy(use: Use, out: Out): void {
  const { operands, strange } = use;
  if (operands.length === 1) operands.forEach(({ word }) => file(out, "write", word));
  sections(use, "add-section", "read", out);
  sections(use, "update-section", "read", out);
  sections(use, "dump-section", "write", out);
  // What is not known may take a word, so that others are the files.
  if (strange.length > 0) file(out, "write", unknownWord({ single: true }));
  for (const [at, word] of out.argv.entries()) {
    if (!prefix(word).startsWith("@")) continue;
    // The words are in a file.
    hazard(out, at, "load");
    file(out, "read", after(word, 1));
    file(out, "write", unknownWord({ single: true }));
  }
}

// `name=file`.
function sections(use: Use, name: string, kind: FileKind, out: Out): void {
  for (const { value } of usedOf(use, name)) {
    const word = value ?? known("");
    const sign = prefix(word).indexOf("=");
    if (sign >= 0) file(out, kind, after(word, sign + 1));
    else if (word.text === undefined) file(out, kind, unknownWord({ single: true }));
  }
}
