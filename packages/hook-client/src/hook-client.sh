#!/bin/sh
# Started as `sh hook-client.sh CURL SOCKET NODE CLIENT BYLAW hook HOST --config FILE …`. It asks the engine with curl. If no engine
# runs, it runs `NODE CLIENT BYLAW hook …` instead. If curl fails, it blocks the call.
set -u
curl=$1 socket=$2
shift 2
host=$5 folder=${socket%/*}
NODE_OPTIONS= NODE_PATH= NODE_COMPILE_CACHE= OPENSSL_CONF=
export NODE_OPTIONS NODE_PATH NODE_COMPILE_CACHE OPENSSL_CONF

# curl would take the text before a `=` for the name of a field.
case $folder in *=*) exec "$@" ;; esac
# In a step of `bylaw run` the run decides too, which only the Node client supports.
[ -z "${BYLAW_MCP_URL-}${BYLAW_MCP_KEY-}" ] && [ -n "${HOME-}" ] &&
  [ -S "$socket" ] && [ -O "$socket" ] && [ ! -L "$folder" ] && [ -O "$folder" ] &&
  [ -r "$folder/client.key" ] && [ -r "$folder/engine.key" ] || exec "$@"

fail() {
  reason="Bylaw could not judge this: $1"
  # Codex runs the call after any exit code but 0.
  if [ "$host" = codex ]; then
    printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}' "$reason"
    exit 0
  fi
  printf '%s\n' "$reason" >&2
  exit 2
}

again() { "$@" </dev/null >/dev/null 2>&1 & }

node=$1 client=$2 bylaw=$3 config= strict= absent= event= engine=
shift 5
while [ $# -gt 0 ]; do
  case $1 in
    --config) config=$2; shift ;;
    --engine) engine=$2; shift ;;
    --strict) strict=1 ;;
    --if-absent) absent=$2; shift ;;
    *) event=$1 ;;
  esac
  shift
done

set --
for name in CLAUDE_PROJECT_DIR CLAUDE_CONFIG_DIR GEMINI_PROJECT_DIR CODEX_HOME \
  PI_CODING_AGENT_DIR XDG_CONFIG_HOME; do
  eval "value=\${$name-}"
  [ -z "$value" ] || set -- "$@" --data-urlencode "env.$name=$value"
done
read -r proof <"$folder/engine.key" || :
# `-q` must be first: otherwise a curl settings file in the home could send the event elsewhere.
reply=$("$curl" -q -sf --noproxy '*' --max-time 15 --unix-socket "$socket" -H Expect: \
  --data-urlencode "key@$folder/client.key" --data-urlencode "bin=$bylaw" --data-urlencode "host=$host" \
  --data-urlencode "config=$config" --data-urlencode "strict=$strict" \
  --data-urlencode "if_absent=$absent" --data-urlencode "event=$event" --data-urlencode "cwd=$(pwd -P)" \
  --data-urlencode "home=$HOME" --data-urlencode "xdg=${XDG_CONFIG_HOME-}" --data-urlencode "engine=$engine" "$@" \
  --data form=sh --data input --data-binary @- http://bylaw/hook 2>/dev/null) || {
  again "$node" "$client" "$bylaw" hook "$host" --config "$config" --engine "$folder"
  fail 'the engine did not answer'
}
line='
'
case $reply in
  "$proof${line}0$line"*) printf '%s' "${reply#"$proof${line}0$line"}" ;;
  "$proof${line}2$line"*)
    printf '%s\n' "${reply#"$proof${line}2$line"}" >&2
    exit 2
    ;;
  *) fail 'the reply is not from the engine' ;;
esac
