import type { Word } from "../analysis.ts";
import { file, type Findings } from "./findings.ts";
import { hasOption, optionsNamed } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { known } from "./word-text.ts";
import { kind, many, options, reads } from "./option-groups.ts";

// A file has an extension, or a name that only files have.
const FILE_NAME = /(?:^|\/)(?:[^/]+\.(?!d$)[A-Za-z]\w*|[A-Z]\w*file|[A-Z]{3,})$/;

const mayBeFolder = ({ text, pipe, pieces }: Word): boolean =>
  pipe !== true && text !== "-" && !FILE_NAME.test(text ?? `x${String(pieces.at(-1))}`);

// It prints the files in two directories, with `-r` also those below, and follows links. With `-q` it only names those that differ.
function compare(use: ParsedArgs, out: Findings): void {
  const others = ["from-file", "to-file"].flatMap((name) =>
    optionsNamed(use, name).map(({ value = known("") }) => value),
  );
  const folders = [...use.operands.map(({ word }) => word), ...others].filter(mayBeFolder);
  const several = folders.length > 1 || folders.some(({ globbed }) => globbed === true);
  const below = hasOption(use, "recursive") || (several && !hasOption(use, "brief"));
  for (const { word } of use.operands)
    if (word.text !== "-") {
      file(out, "read", word);
      if (below)
        file(out, "read", word, {
          below,
          follows: !hasOption(use, "no-dereference"),
          needs: "folder",
          prints: true,
        });
    }
  if (below) for (const word of others) file(out, "read", word, { below, prints: true });
}

const LS = options`-a,--all -A,--almost-all --author -b,--escape -B,--ignore-backups -c -C -d,--directory -D,--dired -f -F --file-type
  --full-time -g --group-directories-first -G,--no-group -h,--human-readable --si -H,--dereference-command-line -k,--kibibytes -l
  -L,--dereference -m -n,--numeric-uid-gid -N,--literal -o -p --show-control-chars -Q,--quote-name -r,--reverse -R,--recursive -s,--size
  -S -t -u -U -v -x -X --zero -1 -@ -e --help --version --dereference-command-line-symlink-to-dir ${kind.value} --block-size --format
  --hide --indicator-style -I,--ignore --quoting-style --sort --time --time-style -T,--tabsize -w,--width ${kind.optional} --color
  --classify --hyperlink ${kind.flag} -i,--inode -q,--hide-control-chars -Z,--context`;

const LSD: Spec = {
  options: LS,
  operands: [many("read")],
  below: ["recursive", "tree"],
  follows: "dereference",
  alone: "read",
};

const EXA: Spec = {
  ...reads`-T,--tree -R,--recursive ${kind.value} -L,--level -s,--sort -I,--ignore-glob -t,--time`,
  below: ["recursive", "tree"],
  alone: "read",
};

export const READS: Spec = { operands: [many("read")] };

export const FILE_READERS: Readonly<Record<string, Spec>> = {
  cat: reads`-A,--show-all -b,--number-nonblank -e -E,--show-ends -n,--number -s,--squeeze-blank -t -T,--show-tabs -u
      -v,--show-nonprinting -l --help --version`,
  bat: reads`-n -p -A --no-lessopen -d -u -P -f -L ${kind.script} --pager ${kind.value} -m,--map-syntax -l,--language
      -H,--highlight-line -r,--line-range --theme --style --color --paging --wrap --tabs --file-name --terminal-width --decorations
      --italic-text --diff-context ${kind.flag} --config-file --list-themes --list-languages ${kind.flagThat("write")}
      --generate-config-file ${kind.flagThat("run")} --lessopen`,
  batcat: reads`${kind.script} --pager ${kind.value} -l,--language -r,--line-range --theme --style --color --paging`,
  tac: reads`-b -r ${kind.value} -s,--separator`,
  rev: READS,
  ls: LSD,
  dir: LSD,
  vdir: LSD,
  gls: LSD,
  exa: EXA,
  eza: EXA,
  lsd: {
    options: options`--tree -R,--recursive ${kind.value} --depth -I,--ignore-glob ${kind.load} --config-file`,
    operands: [many("read")],
    below: ["recursive", "tree"],
    alone: "read",
  },
  tree: {
    options: options`-a -d -l -f -x --ignore-case --matchdirs --metafirst --prune --info --gitignore --noreport --dirsfirst -q -N -Q -p -u
      -g -s -h --si -D --du --inodes --device -F -v -t -c -U -r -i -A -S -n -C -X -J --nolinks --fflinks --opt-toggle --version
      ${kind.of("following")} -L -P -I -H -T ${kind.flagThat("write")} -R ${kind.read} --infofile --gitfile --hintro --houtro
      ${kind.value} --charset --filelimit --timefmt --compress --scheme --authority ${kind.flag} --filesfirst --hyperlink --help
      ${kind.of("following", { role: "write", does: "write" })} -o ${kind.write} --output ${kind.optional} --sort ${kind.flagThat("load")}
      --fromfile --fromtabfile`,
    operands: [many("read")],
    below: "always",
    follows: "l",
    alone: "read",
  },
  stat: reads`-L,--dereference -f,--file-system -t,--terse -n -q -r -s -x ${kind.value} --cached -c,--format --printf`,
  file: reads`-b,--brief -c,--checking-printout -d,--debug -D -h,--no-dereference -i,--mime --mime-type --mime-encoding
      -k,--keep-going -l,--list -L,--dereference -n,--no-buffer -N,--no-pad -0,--print0 -p,--preserve-date -r,--raw -S,--no-sandbox
      -v,--version --apple --help ${kind.flagThat("write")} -C,--compile ${kind.value} -e,--exclude --exclude-quiet -F,--separator
      -P,--parameter ${kind.flag} --extension -s,--special-files ${kind.takes("list", "load")} -f,--files-from
      ${kind.takes("read", "load")} -m,--magic-file -M ${kind.flagThat("run")} -z,--uncompress -Z,--uncompress-noreport`,
  du: {
    options: options`-0,--null -a,--all --apparent-size -b -c,--total -D -H -k -L -l -m -P -S -s,--summarize -h,--human-readable --si -x --inodes ${kind.value}
      -B,--block-size -d,--max-depth -t,--threshold ${kind.takes("list", "load")} --files0-from ${kind.optional} --time ${kind.value}
      --time-style ${kind.read} -X,--exclude-from ${kind.value} --exclude`,
    operands: [many("read")],
    below: "always",
    alone: "read",
  },
  df: reads`-a -h,--human-readable --si -m -H -i -k -l --no-sync -P --sync -T ${kind.value} -B,--block-size -t,--type -x,--exclude-type ${kind.optional}
      --output ${kind.flag} --total`,
  ncdu: {
    options: options`-x -e ${kind.write} -o ${kind.read} -f -X`,
    operands: ["read"],
    below: "always",
    alone: "read",
  },
  cmp: reads`-b -l -s ${kind.value} -i,--ignore-initial -n,--bytes`,
  diff: {
    options: options`-q,--brief -s -c -u -e -n -y -p -t -T -r,--recursive --no-dereference -N -P -i -E -Z -b -w -B -a -d --minimal
      --report-identical-files --normal --rcs --version ${kind.value} -C,--context -U,--unified -W,--width -F,--show-function-line --label
      --tabsize -x,--exclude -S,--starting-file -I,--ignore-matching-lines -D,--ifdef --line-format --old-line-format --new-line-format
      --unchanged-line-format --old-group-format --new-group-format --changed-group-format --unchanged-group-format --GTYPE-group-format
      --LTYPE-line-format --horizon-lines --palette ${kind.flag} --suppress-common-lines --strip-trailing-cr --speed-large-files --ed
      --side-by-side --left-column --expand-tabs --initial-tab --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines
      --text --new-file --help ${kind.flagThat("run")} -l,--paginate ${kind.read} -X,--exclude-from --from-file --to-file ${kind.optional}
      --color`,
    more: compare,
  },
  diff3: reads`--strip-trailing-cr -A -e -E -3 -x -X -i -m -a -T ${kind.script} --diff-program ${kind.value} -L,--label`,
  sdiff: reads`-i -E -Z -b -W -B -l -s -t -d -H -a ${kind.write} -o,--output ${kind.script} --diff-program ${kind.value} -I
      -w,--width`,
  colordiff: {
    options: options`-u -N -q,--brief -r,--recursive --no-dereference ${kind.script} --diff-program`,
    more: compare,
  },
  delta: reads`${kind.script} --pager ${kind.load} --config`,
};
