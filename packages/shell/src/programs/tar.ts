import { hostOf } from "./hosts.ts";
import type { Word } from "../analysis.ts";
import {
  file,
  hazard,
  noteListedFiles,
  network,
  runScript,
  type Findings,
  noteUnlisted,
} from "./findings.ts";
import { applyRole } from "./apply-spec.ts";
import { grammarOf } from "./grammar.ts";
import { parseArgs, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Operand, Spec, ParsedArgs, UsedOption } from "./program-spec.ts";
import { known, prefix } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

const TAR: Spec = {
  options: options`-d,--diff,--compare -t,--list --test-label --check-device -G,--incremental --ignore-failed-read -n,--seek
    --no-check-device --no-seek -k,--keep-old-files --keep-newer-files --keep-directory-symlink --no-overwrite-dir --skip-old-files
    -U,--unlink-first -W,--verify --ignore-command-error --no-ignore-command-error -O,--to-stdout --delay-directory-restore
    --no-delay-directory-restore -m,--touch --no-same-owner --no-same-permissions --numeric-owner -p,--preserve-permissions
    --same-permissions --same-owner -s,--preserve-order --acls --no-acls --selinux --no-selinux --xattrs --no-xattrs
    -B,--read-full-records -i,--ignore-zeros --portability -o --posix -a,--auto-compress -J,--xz --lzip --lzma --lzop --no-auto-compress
    --zstd -z,--gzip,--gunzip,--ungzip -Z,--compress -h,--dereference --no-null --no-recursion --no-unquote --no-verbatim-files-from
    --null --recursion --unquote --verbatim-files-from --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards
    --no-wildcards-match-slash --wildcards --wildcards-match-slash --full-time -l,--check-links --show-defaults --show-omitted-dirs
    --show-snapshot-field-ranges --show-transformed-names --show-stored-names --utc -v,--verbose -w,--interactive,--confirmation --usage
    --version --clamp-mtime ${kind.flagThat("write")} -A,--catenate,--concatenate -c,--create -r,--append -u,--update -x,--extract,--get
    -P,--absolute-names ${kind.flagThat("delete")} --delete --recursive-unlink --remove-files ${kind.write} -g,--listed-incremental
    --volno-file ${kind.value} --hole-detection --level --sparse-version --group --mode --mtime --sort --xattrs-exclude --xattrs-include
    -f,--file -L,--tape-length -b,--blocking-factor --record-size --pax-option -V,--label --exclude -K,--starting-file --newer-mtime
    -N,--newer,--after-date --suffix --strip-components --transform,--xform --no-quote-chars --quote-chars --quoting-style --warning
    --set-mtime-format ${kind.optional} --occurrence --one-top-level --atime-preserve --backup --checkpoint --totals ${kind.flag}
    -S,--sparse --overwrite --overwrite-dir --force-local -M,--multi-volume --old-archive -j,--bzip2 --exclude-backups --exclude-caches
    --exclude-caches-all --exclude-caches-under --exclude-vcs --exclude-vcs-ignores --hard-dereference --one-file-system -R,--block-number
    ${kind.script} --to-command -F,--info-script,--new-volume-script --rmt-command --rsh-command -I,--use-compress-program
    --set-mtime-command ${kind.read} --group-map -X,--exclude-from ${kind.value} --owner -H,--format --exclude-ignore
    --exclude-ignore-recursive --exclude-tag --exclude-tag-all --exclude-tag-under --checkpoint-action ${kind.read} --owner-map
    ${kind.takes("read", "load")} --add-file -T,--files-from ${kind.takes("dir")} -C,--directory ${kind.write} --index-file`,
};

/** Parses `tar` arguments. The first word may be option letters without a dash, whose values are the next words in order. */
export function readTarUse(argv: readonly Word[], from: number): ParsedArgs {
  const first = argv[from];
  const letters = first?.text;
  if (first === undefined || letters === undefined || letters.startsWith("-") || letters === "")
    return parseArgs(TAR, argv, from, { posix: false });
  const options: UsedOption[] = [];
  const unknownOptions: Operand[] = [];
  let at = from;
  for (const letter of letters) {
    const option = grammarOf(TAR).short.get(letter);
    if (option === undefined) unknownOptions.push({ at: from, word: first });
    else
      options.push({
        option,
        at: from,
        value: option.value === "required" ? argv[++at] : undefined,
      });
  }
  const rest = parseArgs(TAR, argv, at + 1, { posix: false });
  return {
    ...rest,
    options: [...options, ...rest.options],
    unknownOptions: [...unknownOptions, ...rest.unknownOptions],
  };
}

function readTar(out: Findings, from: number): void {
  const use = readTarUse(out.argv, from);
  if (hasOption(use, "help usage version show-defaults")) return;
  noteUnlisted(use, out);
  const extracts = hasOption(use, "get");
  const creates = hasOption(use, "create");
  const changes = hasOption(use, "append update concatenate delete");
  const archives = optionsNamed(use, "file");
  for (const { option, at, value } of use.options) {
    if (option.does !== undefined && !(option.name === "absolute-names" && !extracts))
      hazard(out, at, option.does);
    if (option.name === "checkpoint-action" && value !== undefined) checkpoint(at, value, out);
    else if (option.role !== "data" && option.role !== "dir" && value !== undefined)
      applyRole(option.role, value, at, TAR, out, undefined);
  }
  for (const used of archives)
    archive(
      used,
      { reads: !creates, writes: creates || changes, local: hasOption(use, "force-local") },
      out,
    );
  // An unknown first word may be option letters.
  if (out.argv[from] !== undefined && out.argv[from]?.text === undefined) hazard(out, from, "run");
  for (const { at, word } of use.unknownOptions)
    if (!word.text?.startsWith("--") || /^--(exec|to-|use-|rsh|checkpoint)/.test(word.text))
      hazard(out, at, "run");
  for (const used of optionsNamed(use, "directory"))
    applyRole("dir", valueOf(used), used.at, TAR, out, undefined);
  if (hasOption(use, "files-from") && !extracts && !hasOption(use, "list delete compare"))
    noteListedFiles(out);
  if (extracts && !hasOption(use, "to-stdout to-command")) {
    file(out, "write", known("."), { below: true });
    for (const { value } of optionsNamed(use, "one-top-level"))
      if (value !== undefined) file(out, "write", value, { below: true });
  } else if (creates || changes) {
    const follows = hasOption(use, "dereference");
    for (const { word } of use.operands)
      file(out, "read", word, { below: true, follows, prints: true });
  }
}

function checkpoint(at: number, value: Word, out: Findings): void {
  const start = prefix(value);
  if (/^(exec|ttyout|wait)/.test(start) || value.text === undefined) {
    const sign = start.indexOf("=");
    if (start.startsWith("exec") || value.text === undefined) {
      runScript(out, at, value.text === undefined ? value : known(value.text.slice(sign + 1)));
    }
  } else if (!/^(\.|dot|bell|echo|sleep|totals)/.test(start)) hazard(out, at, "run");
}

function archive(
  used: UsedOption,
  mode: { readonly reads: boolean; readonly writes: boolean; readonly local: boolean },
  out: Findings,
): void {
  const word = valueOf(used);
  if (word.text === "-") return;
  if (!mode.local && /^[^/]{1,512}:/.test(prefix(word))) {
    hazard(out, used.at, "send");
    network(out, hostOf(word));
    return;
  }
  if (mode.reads) file(out, "read", word);
  if (mode.writes) file(out, "write", word);
}

export const TAR_READ: Spec = { ...TAR, bundled: true, read: readTar };
