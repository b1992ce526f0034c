import type { Assignment, Effect, Word } from "../analysis.ts";
import { hostsOf } from "../programs/hosts.ts";
import { pathOf } from "../programs/path-of-word.ts";

// Variables that set the proxy or server of programs. Other names do so for individual programs.
const NAMES =
  /^(?:(?:https?|ftp|all|socks|rsync|grpc)_proxy|npm_config_(?:(?:https?[_-])?proxy|registry)|yarn_(?:npm_)?registry(?:_server)?|pip_(?:proxy|index_url|extra_index_url)|uv_(?:default_index|index|index_url|extra_index_url)|(?:docker|container|buildkit)_host|goproxy|pghost(?:addr)?|mysql_host|cargo_http_proxy|aws_endpoint_url\w{0,64})$/i;
// Variables that name a file or directory to write. git treats values other than absolute paths as flags.
const WRITTEN =
  /^(?:(?:NODE_V8_COVERAGE|NODE_REDIRECT_WARNINGS|NODE_REPL_HISTORY|COVERAGE_FILE|PYTHONPYCACHEPREFIX|PYTHON_HISTORY|HISTFILE|LESSHISTFILE|PSQL_HISTORY|MYSQL_HISTFILE|SQLITE_HISTORY|LLVM_PROFILE_FILE|GCOV_PREFIX|SSLKEYLOGFILE|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY|CARGO_TARGET_DIR|GOBIN|GOCACHE)$|GIT_(?:TRACE|TR2_)\w*$)/;
const DECLARES = /^(?:export|declare|typeset|readonly|local)$/;

interface Named {
  readonly argv: readonly Word[];
  readonly assignments: readonly Assignment[];
}

/** The hosts to which assignments and `export` direct connections, and the files to write that they name. */
export function variableEffects({ argv, assignments }: Named): readonly Effect[] {
  const program = argv[0]?.text;
  const declares = program !== undefined && DECLARES.test(program);
  if (assignments.length === 0 && !declares) return [];
  const hosts = new Set<string | undefined>();
  const files: Effect[] = [];
  const note = (name: string, value: Word | undefined): void => {
    if (
      value !== undefined &&
      WRITTEN.test(name) &&
      (!name.startsWith("GIT_TR") || value.text === undefined || /^[/~]/.test(value.text))
    )
      files.push({ kind: "write", path: pathOf(value), below: true });
    if (!NAMES.test(name) || value === undefined || value.text === "") return;
    for (const host of hostsOf(value)) hosts.add(host);
  };
  for (const { name, value } of assignments) note(name, value);
  for (const { pieces } of declares ? argv : []) {
    const [start, ...rest] = pieces;
    const sign = typeof start === "string" ? start.indexOf("=") : -1;
    if (typeof start !== "string" || sign < 0) continue;
    const value = start.slice(sign + 1);
    if (rest.length === 0)
      note(start.slice(0, sign), { text: value, pieces: [value], single: true });
    else
      note(start.slice(0, sign), {
        text: undefined,
        pieces: value === "" ? rest : [value, ...rest],
        single: true,
      });
  }
  return [...files, ...[...hosts].map((host): Effect => ({ kind: "network", host }))];
}
