import type { Word } from "../analysis.ts";

// Variables that change only how output looks. The README gives the reason for each.
const HARMLESS: ReadonlySet<string> = new Set(
  `CI COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE NODE_ENV LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES
  LC_NUMERIC LC_TIME LC_MONETARY PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RUST_BACKTRACE RUST_LOG GIT_TERMINAL_PROMPT DEBIAN_FRONTEND
  LOG_LEVEL PORT VERBOSE PYTHONHASHSEED CARGO_TERM_COLOR CARGO_INCREMENTAL RUST_TEST_THREADS GOOS GOARCH CGO_ENABLED TERM
  PYTHONIOENCODING PYTHONUTF8 PYTHONFAULTHANDLER GIT_OPTIONAL_LOCKS DO_NOT_TRACK NEXT_TELEMETRY_DISABLED NODE_NO_WARNINGS
  TF_CPP_MIN_LOG_LEVEL TOKENIZERS_PARALLELISM CUDA_VISIBLE_DEVICES OMP_NUM_THREADS GOMAXPROCS CTEST_OUTPUT_ON_FAILURE
  DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO HYPOTHESIS_PROFILE PIP_DISABLE_PIP_VERSION_CHECK NO_UPDATE_NOTIFIER`.split(
    /\s+/,
  ),
);
// Values with a slash are paths of catalogs, locales or settings.
const HARMLESS_VALUE = /^(?![.])[\w.,@+-]*$/;

// Switches that programs of the project read, unless their names tell that they reach other machines or delete.
const SWITCH =
  /^(?!.*_(?:PROD|PRODUCTION|LIVE|REMOTE|DEPLOY|PUBLISH|RELEASE|UPLOAD|DELETE|DROP|PURGE|WIPE)(?:_|$))(?:DISABLE|ENABLE|RUN|SKIP|TEST|UPDATE|USE|WITH)_[A-Z][A-Z0-9_]*$/;
const SWITCHED = /^(?:[01]|true|false|yes|no|on|off)$/;

// No pager, and an editor that keeps the text as it is.
const NO_PAGER = /^(?:cat)?$/;
const NO_EDITOR = /^(?:true|:)$/;
const NODE_LIMITS =
  /^(?:(?:^| )--(?:max[-_]old[-_]space[-_]size=\d+|no-warnings|no-deprecation|trace-warnings|enable-source-maps|experimental-vm-modules))+$/;

// In memory, a file of this folder, or a database of this machine that is named for tests.
const TEST_DATABASE =
  /^(?:sqlite(?:\+\w+)?:\/\/(?:\/(?::memory:|test[\w-]*\.(?:db|sqlite3?)))?|(?:postgres(?:ql)?|mysql)(?:\+\w+)?:\/\/(?:\w+(?::\w+)?@)?(?:localhost|127\.0\.0\.1)(?::\d{1,5})?\/(?:test|\w+_test))$/;

const COMPILER_FLAGS =
  /^(?:(?:^| )(?:-O[0-3sgz]?|-g\d?|-W[a-z][a-z-]*|-std=[\w+]+|-fsanitize=[a-z,]+))+$/;
const JAVA_LIMITS = /^(?:(?:^| )-X(?:m[sx]|ss)\d+[kmgKMG])+$/;
const THIS_MACHINE = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?\/?$/;

// Variables of which only some values are harmless.
const HARMLESS_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ...["PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER", "SYSTEMD_PAGER", "AWS_PAGER"].map(
    (name): [string, RegExp] => [name, NO_PAGER],
  ),
  ...["EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"].map((name): [string, RegExp] => [
    name,
    NO_EDITOR,
  ]),
  ["NODE_OPTIONS", NODE_LIMITS],
  ["TZ", /^(?!.*\.\.)[A-Za-z][\w+\-/]*$/],
  ["DEBUG", /^[\w.,:*@+-]*$/],
  ["PYTHONPATH", /^(?:(?:^|:)(?:\.|(?:\.\/)?(?:src|lib)))+$/],
  ["RAILS_ENV", /^test$/],
  ["RACK_ENV", /^test$/],
  ["MIX_ENV", /^(?:test|dev)$/],
  ["APP_ENV", /^test(?:ing)?$/],
  ["FLASK_ENV", /^test(?:ing)?$/],
  ["SPRING_PROFILES_ACTIVE", /^test$/],
  [
    "DJANGO_SETTINGS_MODULE",
    /^\w+(?:\.\w+)?\.settings(?:[._](?:tests?|testing|local|dev|development))?$/,
  ],
  // A class in it would be imported.
  ["PYTHONWARNINGS", /^(?:ignore|error|default|always|once)$/],
  ["GOFLAGS", /^-(?:count=1|mod=(?:mod|vendor|readonly)|race|v)$/],
  ...["RUSTFLAGS", "RUSTDOCFLAGS"].map((name): [string, RegExp] => [
    name,
    /^(?:(?:^| )-[ADFW] ?[a-z][\w:-]*)+$/,
  ]),
  ["DATABASE_URL", TEST_DATABASE],
  ...["BASE_URL", "API_URL"].map((name): [string, RegExp] => [name, THIS_MACHINE]),
  ...["TESTING", "COVERAGE"].map((name): [string, RegExp] => [name, SWITCHED]),
  ["SECRET_KEY", /^(?:test|testing|dummy|fake|dev)(?:-\w+)*$/],
  ["GO111MODULE", /^(?:on|auto)$/],
  // Another toolchain would be downloaded.
  ["GOTOOLCHAIN", /^local$/],
  // Other modes connect to a debugger, or write files.
  ["XDEBUG_MODE", /^(?:off|coverage)$/],
  ["INSTA_UPDATE", /^(?:no|new|auto)$/],
  ["ASPNETCORE_ENVIRONMENT", /^(?:Development|Test|Testing)$/],
  ["DOTNET_ENVIRONMENT", /^(?:Development|Test|Testing)$/],
  // Without what names a file: `log_path`, `suppressions`, `include`.
  ...["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"].map((name): [string, RegExp] => [
    name,
    /^(?:(?:^|:)(?:detect_leaks|halt_on_error|abort_on_error|print_stacktrace|symbolize|detect_stack_use_after_return)=[01])+$/,
  ]),
  ...["MAVEN_OPTS", "GRADLE_OPTS"].map((name): [string, RegExp] => [name, JAVA_LIMITS]),
  // Compilers that are looked for in the `PATH`.
  ["CC", /^(?:gcc|clang|cc)(?:-\d+)?$/],
  ["CXX", /^(?:g\+\+|clang\+\+|c\+\+)(?:-\d+)?$/],
  ...["CFLAGS", "CXXFLAGS"].map((name): [string, RegExp] => [name, COMPILER_FLAGS]),
]);

// Variables whose value is run as a command line.
const COMMANDS: ReadonlySet<string> = new Set(
  `PROMPT_COMMAND GIT_SSH_COMMAND GIT_SSH GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND
  SSH_ASKPASS SUDO_ASKPASS EDITOR VISUAL FCEDIT SUDO_EDITOR SYSTEMD_EDITOR PAGER MANPAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER GH_EDITOR
  BAT_PAGER DELTA_PAGER PSQL_PAGER PSQL_EDITOR BROWSER GH_BROWSER LESSOPEN LESSCLOSE RSYNC_RSH CVS_RSH SHELL`.split(
    /\s+/,
  ),
);

// Variables from which the shell, the loader or git reads code, further options, or the meaning of names.
const STATE =
  /^(PATH|IFS|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|BASH_ALIASES|BASH_CMDS|BASH_LOADABLES_PATH|BASH_COMPAT|POSIXLY_CORRECT|EXECIGNORE|CDPATH|FPATH|ZDOTDIR|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|GIT_EXEC_PATH|GIT_CONFIG.*|GIT_TEMPLATE_DIR|GIT_DIR|GIT_WORK_TREE|PERL5DB|PERL5OPT|MAKEFLAGS|GNUMAKEFLAGS|MFLAGS|TAR_OPTIONS|GREP_OPTIONS|RIPGREP_CONFIG_PATH|ACKRC|ACK_OPTIONS|LESS|LESSKEY.*|MORE|ZIPOPT|UNZIP|UNZIPOPT|ZIPINFO|ZIPINFOOPT|VIMINIT|GVIMINIT|EXINIT|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|CARGO_(?:TARGET_\w+|BUILD)_(?:RUNNER|LINKER|RUSTC|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER)|HGRCPATH|CURL_HOME|WGETRC|SYSTEM_WGETRC|MAILRC|INPUTRC|AWKLIBPATH|AWKPATH)$/;
// Display options of `less`.
const LOOKS = /^-?[FJMNQRSXeiqsw]+$/;
const PROMPTS = /^PS[0-4]$/;
// Interpreter options that may hold code.
const OPTIONS = /^(NODE_OPTIONS|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/;
const INLINE = /data:|-e\b|--eval|-p\b|--print|OnOutOfMemoryError|OnError/;

// Bash or zsh evaluates values assigned to these, including substitutions in subscripts.
const INTEGERS =
  /^(?:ARGC|BASHPID|BAUD|COLUMNS|E?[GU]ID|EPOCHSECONDS|ERRNO|FUNCNEST|HISTCMD|HISTSIZE|KEYTIMEOUT|LINENO|LINES|LISTMAX|LOGCHECK|MAILCHECK|OPTIND|RANDOM|SAVEHIST|SECONDS|SHLVL|SRANDOM|TRY_BLOCK_(?:ERROR|INTERRUPT)|ZLE_RPROMPT_INDENT)$/;

/** Whether a shell evaluates this value when it is assigned. */
export function isComputed(name: string, value: Word | undefined): boolean {
  return (
    INTEGERS.test(name) &&
    value !== undefined &&
    (value.text === undefined || !/^[-+]?\d*$/.test(value.text))
  );
}

/** How a variable can affect later commands. */
export type VariableRole = "harmless" | "plain" | "command" | "state" | "code";

// Assigned values are not globbed, so a wildcard stays as written.
function globOf({ pieces }: Word): string | undefined {
  if (pieces.some((piece) => typeof piece !== "string" && piece.hole !== "name")) return undefined;
  return pieces.map((piece) => (typeof piece === "string" ? piece : "*")).join("");
}

/** The role of a variable with this value, which is undefined if unknown. */
export function roleOf(name: string, value: Word | undefined): VariableRole {
  const text =
    value === undefined ? "" : (value.text ?? (name === "DEBUG" ? globOf(value) : undefined));
  const values =
    HARMLESS_VALUES.get(name) ??
    (HARMLESS.has(name) ? HARMLESS_VALUE : SWITCH.test(name) ? SWITCHED : undefined);
  if (values !== undefined && text !== undefined && values.test(text)) return "harmless";
  if (COMMANDS.has(name)) return "command";
  if (STATE.test(name))
    return name === "LESS" && text !== undefined && LOOKS.test(text) ? "plain" : "state";
  if (PROMPTS.test(name)) return text === undefined || /[$`\\]/.test(text) ? "code" : "plain";
  if (OPTIONS.test(name)) return text === undefined || INLINE.test(text) ? "code" : "plain";
  return "plain";
}

// Programs and shells use many upper-case names, so setting one of them is not harmless.
const ORDINARY =
  /^(?!.*(?:proxy|^npm_|^histchars$|^auto_resume$))[a-z]\w*$|^_(?:[a-z]\w*)?$|^[A-Z]\d{0,2}$|^(?:ANSWER|ARG|BASE|BRANCH|CODE|COMMIT|COUNT|COUNTER|DATE|DIR|DIRECTORY|END|ENTRY|FIELD|FILE|FILENAME|FILES|FOLDER|HASH|HEAD|ID|INDEX|INPUT|ITEM|ITEMS|KEY|LINE|MAX|MIN|MODULE|MSG|NAME|NUM|NUMBER|OUT|OUTPUT|PACKAGE|(?:[A-Z]+_)?PID|PKG|REF|REPO|RES|RESULT|REV|ROOT|ROW|SERVICE|SHA|SIZE|SRC|START|STATUS|SUM|TAG|TARGET|TOTAL|URL|VAL|VALUE|VAR|VERSION|WORD|REPLY|OPTARG|MAPFILE|COPROC|BASH_REMATCH)$/;

// Variables that zsh ties to others, such as `path` to `PATH`, and its tables of what names mean.
const TIED =
  /^(?:path|cdpath|fpath|mailpath|manpath|module_path|fignore|psvar|prompt|watch|argv|dirstack)$/;
const TABLES =
  /^(?:(?:dis_)?(?:[gs]?aliases|functions|builtins|reswords)|commands|options|modules|parameters|nameddirs|userdirs)$/;
// Variables that bash or zsh sets itself.
const SET_BY_SHELL =
  /^(?:_|REPLY|OPTARG|MAPFILE|COPROC|BASH_REMATCH|status|pipestatus|match|mbegin|mend|reply)$/;

/** Whether a shell sets this variable itself, or ties it to another one. */
export function isSetByShell(name: string): boolean {
  return SET_BY_SHELL.test(name) || TIED.test(name);
}

/** Whether this is one of the tables in which zsh keeps what names mean, such as `functions`. */
export function isTable(name: string): boolean {
  return TABLES.test(name);
}

/** Whether no value of this variable changes what runs or what is written. */
export function isOrdinary(name: string): boolean {
  return ORDINARY.test(name) && !TIED.test(name) && !TABLES.test(name);
}
