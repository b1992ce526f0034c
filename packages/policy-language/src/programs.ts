const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

/** Words that open or close shell syntax, or change what later words mean. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  words("if then elif else fi for while until do done case esac select function in time coproc alias unalias trap"),
);

/** Programs and built-ins that run what their arguments, their input or another machine says. */
export const RUNS_ANOTHER: ReadonlySet<string> = new Set(
  words(`
  sudo sudoedit doas su runuser pkexec gosu su-exec setpriv env command builtin exec eval source . nohup timeout nice ionice chrt stdbuf
  setsid setarch linux32 linux64 xargs parallel time watch entr inotifywait-exec chroot unshare nsenter bwrap firejail proot fakeroot
  flock lockf strace ltrace gdb lldb perf valgrind script scriptreplay expect unbuffer systemd-run systemd-nspawn taskset numactl cgexec
  prlimit capsh catchsegv start-stop-daemon daemon at batch crontab screen tmux dtach abduco nq tsp sh bash dash zsh ksh mksh ash fish csh tcsh
  rbash pwsh powershell cmd cmd.exe elvish nu xonsh busybox toybox mosh rsh rlogin telnet socat nc ncat netcat m4 osascript open xdg-open
  find2perl run-parts ld.so ld-linux.so ld-linux-x86-64.so.2 unlink-exec winpty wsl multipass lxc-attach machinectl coproc trap alias hash
  enable fc bind complete compgen mapfile readarray dbus-run-session dbus-launch xvfb-run sg newgrp chpst envdir setuidgid softlimit
  `),
);

/** Interpreters with their flags for code in an argument. */
export const INLINE_CODE: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    python: /(^| )-[A-Za-z]*c/,
    python2: /(^| )-[A-Za-z]*c/,
    python3: /(^| )-[A-Za-z]*c/,
    pypy3: /(^| )-[A-Za-z]*c/,
    perl: /(^| )-[A-Za-z0-9]*[eEMmxI]/,
    ruby: /(^| )-[A-Za-z0-9]*[eErI]/,
    node: /(^| )(-[A-Za-z]*[eprC]|--(eval|print|require|import|loader|experimental-loader|env-file|inspect|run)\b)/,
    nodejs: /(^| )(-[A-Za-z]*[epr]|--(eval|print|require|import|loader)\b)/,
    deno: /(^| )(eval|repl)\b|(^| )--(preload|import-map|config)\b/,
    bun: /(^| )(-[A-Za-z]*[epr]|--(eval|print|preload)\b|x\b)/,
    tsx: /(^| )(-[A-Za-z]*[epr]|--(eval|print|import|require)\b)/,
    php: /(^| )-[A-Za-z]*[rBRFEfd]/,
    lua: /(^| )-[A-Za-z]*[el]/,
    Rscript: /(^| )-e/,
    R: /(^| )-e/,
    julia: /(^| )(-[A-Za-z]*[eEL]|--(eval|print|load)\b)/,
    groovy: /(^| )-e/,
    scala: /(^| )-e/,
    ghc: /(^| )-e/,
    tclsh: /(^| )-c/,
    gawk: /(^| )(-[A-Za-z]*[fliE]|--(file|load|include|exec))/,
    awk: /(^| )(-[A-Za-z]*[fliE]|--(file|load|include|exec))/,
    mawk: /(^| )(-[A-Za-z]*[fliEW]|--(file|load|include|exec))/,
    vim: /(^| )(-[A-Za-z]*[cSsuUwW]|--cmd|\+)/,
    vi: /(^| )(-[A-Za-z]*[cSsuUwW]|--cmd|\+)/,
    nvim: /(^| )(-[A-Za-z]*[cSsuUwWl]|--cmd|\+)/,
    emacs: /(^| )(-[A-Za-z]*|--(eval|execute|load|funcall|script))/,
    ssh: /^(?!-V$)/,
  }),
);

interface Risk {
  /** Letters of short options. */
  readonly short?: string;
  /** Long options; an abbreviation counts. */
  readonly long?: string;
  /** Whole words: actions, single-dash options. */
  readonly word?: string;
  /** Subcommands. */
  readonly sub?: string;
  readonly like?: RegExp;
}

interface Risks {
  /** What makes it run another program. */
  readonly runs?: Risk;
  /** What makes it write, delete, load code or leave its folder. */
  readonly does?: Risk;
  /** Options whose next word is an operand, whatever it looks like. */
  readonly takes?: ReadonlySet<string>;
}

// Whatever the program: options with these names run something.
const GENERAL = words(
  "exec execute eval shell to-command rsh rsync-path checkpoint-action use-compress-program compress-program pager editor preload",
);

const FIND_TAKES = words(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -newer -size -maxdepth
  -mindepth -mtime -atime -ctime -mmin -amin -cmin -user -group -uid -gid -perm -fstype -inum -links -samefile -used -regextype -printf`);

const RISKS: Readonly<Record<string, Risks>> = {
  find: { runs: { like: /^-(exec|ok)/ }, does: { word: "-delete -fls -files0-from", like: /^-fprint/ }, takes: new Set(FIND_TAKES) },
  fd: { runs: { short: "xX", long: "exec exec-batch" } },
  rg: { runs: { long: "pre hostname-bin" }, does: { short: "zf", long: "search-zip file ignore-file" } },
  grep: { does: { short: "f", long: "file exclude-from" } },
  sort: { runs: { long: "compress-program" }, does: { short: "oT", long: "output temporary-directory files0-from random-source" } },
  wc: { does: { long: "files0-from" } },
  uniq: {},
  sed: { does: { short: "if", long: "in-place file" } },
  less: { runs: { short: "k", long: "lesskey-file lesskey-src" }, does: { short: "oO", long: "log-file LOG-FILE", like: /^\+/ } },
  more: { does: { like: /^\+/ } },
  man: { runs: { short: "PHC", long: "pager html config-file browser" }, does: { short: "l", long: "local-file" } },
  tar: {
    runs: { short: "IF", long: "use-compress-program to-command checkpoint-action rsh-command info-script new-volume-script rmt-command" },
    does: {
      short: "cxruAT",
      long: "create extract get append update catenate concatenate delete index-file add-file",
      like: /^(?!-)[A-Za-z]*[cxruAIF][A-Za-z]*$|^--files/,
    },
  },
  zip: { runs: { short: "T", long: "unzip-command" } },
  date: { does: { short: "sf", long: "set file" } },
  file: { does: { short: "Cmf", long: "compile magic-file files-from" } },
  tree: { does: { short: "oR", long: "output fromfile" } },
  jq: { does: { short: "fL", long: "from-file library-path rawfile slurpfile", like: /(^|[^A-Za-z])env([^A-Za-z]|$)|\$ENV/ } },
  history: { does: { like: /^-/ } },
  make: { runs: { long: "eval" }, does: { short: "fCIE", long: "file makefile directory include-dir", like: /=/ } },
  git: {
    runs: {
      short: "c",
      long: "exec-path config-env upload-pack receive-pack open-files-in-pager ext-diff textconv sendmail-cmd smtp-server exec extcmd tool config tree-filter index-filter msg-filter env-filter",
      sub: "filter-branch difftool mergetool send-email instaweb gui citool bisect submodule daemon shell http-backend credential hook maintenance",
      like: /^ext::|^-O/,
    },
    does: {
      short: "CoD",
      long: "output output-directory git-dir work-tree namespace edit-description delete force move template separate-git-dir",
      sub: "config alias clean gc prune update-ref replace",
    },
    takes: new Set(["-e"]),
  },
  npm: {
    runs: { long: "script-shell node-options shell git viewer editor", sub: "exec x explore edit init create innit" },
    does: { short: "Cg", long: "prefix userconfig globalconfig", sub: "config c set publish unpublish login adduser token owner" },
  },
  rsync: { runs: { short: "e", long: "rsh rsync-path" }, does: { long: "delete remove-source-files" } },
  scp: { runs: { short: "SoF" } },
  sftp: { runs: { short: "SobFD" } },
  curl: { does: { short: "oOKTJcdF", long: "output remote-name config upload-file data form cookie-jar dump-header" } },
  wget: { runs: { short: "e", long: "execute use-askpass" }, does: { short: "Oio", long: "output-document input-file output-file" } },
  docker: { runs: { sub: "exec run" } },
  podman: { runs: { sub: "exec run" } },
  kubectl: { runs: { sub: "exec run debug cp" } },
  tee: { does: { like: /^[^-]/ } },
  dd: { does: { like: /^of=/ } },
};

interface CompiledRisk {
  readonly short: string;
  readonly long: readonly string[];
  readonly words: ReadonlySet<string>;
  readonly subs: ReadonlySet<string>;
  readonly like: RegExp | undefined;
}

const NONE: CompiledRisk = { short: "", long: [], words: new Set(), subs: new Set(), like: undefined };

function compile(risk: Risk | undefined): CompiledRisk {
  if (risk === undefined) return NONE;
  const { short = "", long = "", word = "", sub = "", like } = risk;
  return { short, long: words(long), words: new Set(words(word)), subs: new Set(words(sub)), like };
}

interface CompiledRisks {
  readonly runs: CompiledRisk;
  readonly does: CompiledRisk;
  readonly takes: ReadonlySet<string> | undefined;
}

const compiled = new Map<string, CompiledRisks>();

// Made for a program of the table when a line first names it.
function risksOf(program: string): CompiledRisks | undefined {
  if (!Object.hasOwn(RISKS, program)) return undefined;
  let risks = compiled.get(program);
  if (risks === undefined) {
    const { runs, does, takes } = RISKS[program] ?? {};
    compiled.set(program, (risks = { runs: compile(runs), does: compile(does), takes }));
  }
  return risks;
}

const NO_RISK: { readonly runs: boolean; readonly risky: readonly number[] } = { runs: false, risky: [] };

/**
 * The positions of risky words, and whether one of them runs another program. Values that merely look like an option count
 * too: the error is always towards asking.
 */
export function risks(program: string, argv: readonly string[]): { readonly runs: boolean; readonly risky: readonly number[] } {
  const known = risksOf(program);
  let risky: number[] | undefined;
  let runs = false;
  let operands = 0;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") break;
    if (known?.takes?.has(argv[at - 1] ?? "") === true) continue;
    const option = word.startsWith("-");
    const sub = !option && operands++ === 0;
    if (known !== undefined && hits(known.runs, word, sub)) runs = true;
    else if (
      !(option && isLong(word, GENERAL)) &&
      !(known !== undefined && hits(known.does, word, sub)) &&
      !(program === "sed" && sub && !SED_SAFE.test(word)) &&
      !(program === "uniq" && !option && operands > 1 && !/^\d+$/.test(word))
    ) {
      continue;
    }
    (risky ??= []).push(at);
  }
  return risky === undefined ? NO_RISK : { runs, risky };
}

// A script that prints, deletes lines of the output, or substitutes without the flags that write or execute.
const SED_SAFE = /^[0-9,]*(p|d|q|=)?$|^[0-9,]*s([/,:@%+=])[^/,:@%+=]*\2[^/,:@%+=]*\2[gpiI0-9]*$/;

function hits(risk: CompiledRisk, word: string, sub: boolean): boolean {
  if (risk === NONE) return false;
  if (risk.like?.test(word) === true || risk.words.has(word)) return true;
  if (!word.startsWith("-")) return sub && risk.subs.has(word);
  if (word.startsWith("--")) return isLong(word, risk.long);
  for (const letter of word.slice(1)) if (risk.short.includes(letter)) return true;
  return false;
}

// Programs take any unambiguous beginning of a long option.
function isLong(word: string, long: readonly string[]): boolean {
  if (!word.startsWith("--")) return false;
  const sign = word.indexOf("=");
  const name = sign < 0 ? word.slice(2) : word.slice(2, sign);
  return name.length > 1 && long.some((option) => option.startsWith(name));
}

/** Programs whose arguments are never a command that they run. For any other one a denied command among them counts. */
export const ARGUMENTS_ARE_DATA: ReadonlySet<string> = new Set(
  words(`
  : [ test true false echo printf pwd cd ls cat head tail wc sort uniq cut tr tac rev nl od xxd hexdump strings file stat du df tree
  grep egrep fgrep rg ag ack sed awk gawk mawk find fd diff cmp comm patch tee touch mkdir rmdir rm cp mv ln chmod chown chgrp dd
  which whereis type man info apropos whatis help date cal id whoami groups uname hostname uptime ps top free lsof printenv export unset set
  basename dirname realpath readlink seq sleep kill base64 md5sum sha1sum sha256sum gzip gunzip zcat bzip2 xz tar zip unzip
  git gh hg svn npm pnpm yarn pip pip3 cargo go rustc gcc g++ cc clang make cmake jq yq curl wget apt apt-get apt-cache dpkg brew dnf yum
  docker podman kubectl helm terraform systemctl journalctl service shutdown reboot mkfs mount umount ping dig nslookup host ip ifconfig
  less more history jobs bg fg wait read let local declare typeset readonly shift return exit umask ulimit column fold fmt paste join split
  `),
);
