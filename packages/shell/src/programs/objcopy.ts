import { file, hazard, type FileKind, type Findings } from "./findings.ts";
import { optionsNamed } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, known, prefix, unknownWord } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

/** objcopy: an object file, which is changed in place without an output file. */
export const OBJCOPY: Spec = {
  options: options`--debugging -p,--preserve-dates -D,--enable-deterministic-archives -U,--disable-deterministic-archives -S,--strip-all
    -g,--strip-debug --strip-dwo --strip-unneeded --extract-dwo --extract-symbol --localize-hidden -x,--discard-all -X,--discard-locals
    --no-change-warnings --no-adjust-warnings --pure --decompress-debug-sections -M,--merge-notes --no-merge-notes ${kind.value}
    -I,-s,--input-target -O,-d,--output-target -B,--binary-architecture -F,--target -j,--only-section -R,--remove-section
    --remove-relocations -N,--strip-symbol --strip-unneeded-symbol --keep-section -K,--keep-symbol -L,--localize-symbol --globalize-symbol
    -G,--keep-global-symbol -W,--weaken-symbol -i -b,--byte --gap-fill --pad-to --set-start --change-start --change-addresses
    --change-section-address --change-section-lma --change-section-vma --set-section-flags --set-section-alignment --rename-section
    --long-section-names --reverse-bytes --redefine-sym --srec-len --add-symbol --alt-machine-code --prefix-symbols --prefix-sections
    --prefix-alloc-sections --file-alignment --heap --section-alignment --stack --subsystem --elf-stt-common --verilog-data-width
    ${kind.read} --add-gnu-debuglink --redefine-syms --strip-symbols --strip-unneeded-symbols --keep-symbols --localize-symbols
    --globalize-symbols --keep-global-symbols --weaken-symbols ${kind.flag} --only-keep-debug --keep-section-symbols --keep-file-symbols
    --weaken -w,--wildcard --change-warnings --change-leading-char --remove-leading-char --srec-forceS3 --writable-text --readonly-text
    --impure -v,--verbose -V,--version -h,-H,--help --info ${kind.optional} --interleave --compress-debug-sections ${kind.value}
    --interleave-width --adjust-start --adjust-vma --adjust-section-vma --image-base ${kind.flag} --adjust-warnings
    ${kind.valueThat("load")} --add-section --update-section ${kind.valueThat("write")} --dump-section ${kind.write} --split-dwo`,
  operands: ["read", "write"],
  inert: "version help info",
  more: objcopy,
};

function objcopy(use: ParsedArgs, out: Findings): void {
  const { operands, unknownOptions } = use;
  if (operands.length === 1) operands.forEach(({ word }) => file(out, "write", word));
  sections(use, "add-section", "read", out);
  sections(use, "update-section", "read", out);
  sections(use, "dump-section", "write", out);
  // An unknown option may take a word, so other words may be the files.
  if (unknownOptions.length > 0) file(out, "write", unknownWord({ single: true }));
  for (const [at, word] of out.argv.entries()) {
    if (!prefix(word).startsWith("@")) continue;
    // The value is a file of further arguments.
    hazard(out, at, "load");
    file(out, "read", after(word, 1));
    file(out, "write", unknownWord({ single: true }));
  }
}

// `name=file`.
function sections(use: ParsedArgs, name: string, kind: FileKind, out: Findings): void {
  for (const { value } of optionsNamed(use, name)) {
    const word = value ?? known("");
    const sign = prefix(word).indexOf("=");
    if (sign >= 0) file(out, kind, after(word, sign + 1));
    else if (word.text === undefined) file(out, kind, unknownWord({ single: true }));
  }
}
