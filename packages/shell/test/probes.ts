/** Ways to hide a command in a word. */
const PAYLOADS = [
  "$(pwned)", "`pwned`", '"$(pwned)"', '"`pwned`"', "'$(pwned)'", "\\$(pwned)", "$'$(pwned)'", '$"$(pwned)"', "<(pwned)", "$((1+$(pwned)))",
  "${u:-$(pwned)}", '"${u:-$(pwned)}"', '"${u:-`pwned`}"', "\"${u:-'$(pwned)'}\"", "${u:-'$(pwned)'}", '"${u:-"$(pwned)"}"', '"\\`pwned\\`"',
  "$[1+$(pwned)]", "x$(pwned)y", "{a,$(pwned)}", "${u:=$(pwned)}", "${u/a/$(pwned)}", "$(( x['$(pwned)'] ))", "'a[$(pwned)]'", "a[$(pwned)]", "pwned",
]; // prettier-ignore

/** Places in a line where a word is allowed, each marked by `@`. */
const PLACES = [
  ": @", ": a@", ": @b", ": --x=@", "x=@", "x=(a @)", "x[0]=@", "declare x=@", "export x=@", "local_=1 : @", "x=@ :", "for i in @; do :; done",
  "case @ in a) ;; esac", "case a in @) ;; esac", "case a in a) : @;; esac", "if : @; then :; fi", "while : @; do break; done", "until ! : @; do break; done",
  "[[ @ ]]", "[[ -n @ ]]", "[[ a == @ ]]", "[[ a =~ @ ]]", "[[ a && @ ]]", "[[ a || ( @ ) ]]", "[[ -n a && ! @ ]]", "[[ @ -eq 1 ]]", "[[ -v @ ]]", "{ : @; }", "( : @ )",
  "f() { : @; }; f", "f() ( : @ ); f", "! : @", ": && : @", ": || : @", ": ; : @", ": & : @; wait", ": | : @", ": |& : @", "true\n: @", "time : @",
  "coproc : @\nwait", ": <<< @", ": <<E\n@\nE", ": <<E\na @ b\nE", ": <<-E\n\t@\n\tE", ": <<'E'\n@\nE", ": <<\\E\n@\nE", ": <<\"E\"\n@\nE", ": <<E; : @\nx\nE",
  ": <<E\nx\nE\n: @", ': "a @ b"', ": 'a @ b'", ': "a \\@ b"', ": ${u:-@}", ": ${u-@}", ": ${u:=@}", ": ${HOME:+@}", ": ${HOME#@}", ": ${HOME##@}",
  ": ${HOME%@}", ": ${HOME/@/b}", ": ${HOME/r/@}", ": ${HOME//r/@}", ": ${HOME^^@}", ": ${HOME,@}", ": ${HOME:@:1}", ": ${HOME:0:@}", ": ${x[@]}", ': "${u:-@}"',
  ': "${u:-a @ b}"', ': "${HOME/r/@}"', ': "${u:-"@"}"', ": $((@))", ": $((1 + @))", ": $(( x[@] ))", "(( x = @ ))", "(( x[@] = 1 ))",
  "for ((i=0;i<1+@*0;i++)); do :; done", "let x=@", 'let "x=@"', "let 'x=@'", "x[@]=1", 'unset "x[@]"', 'printf -v "x[@]" a', 'test -v "x[@]"', "test -v @", "eval : @",
  'eval ": @"', "eval ': @'", "select i in @; do break; done </dev/null", ": > /dev/null@", ": 2>@", ": < @", "#c @\n:", ": #c @", ": a#c @", ": \\\n @",
  ": $(: @)", ": `: @`", ': "$(: @)"', ': $(: "@")', ': "$(: "@")"', ": $(case a in a) : @;; esac)", ": $( # c )\n : @ )", ": $(: <<E\n@\nE\n)",
  ': "$(: <<E\n@\nE\n)"', "trap ': @' EXIT", 'trap ": @" EXIT', "alias zz=': @'", "exec 3< @", "{ : ; } < @", ": {@,a}", ": [@]", ": ?(@)",
  "shopt -s extglob\n: @(@|b)", "function g { : @; }; g", ': "$(printf %s "$(: @)")"', ": $(( $(: @) + 1 ))", "x=1 y=@ : a", "x+=@", "readonly r=@",
  "declare -a z=([1]=@)", "declare -A w=([@]=1)", 'echo "${x["@"]}" >/dev/null', "a=b; case $a in b) : @ ;& c) : ;; esac", ": $'a' @", ': "\\"@"', ': \\"@\\"',
  ": '\"'@'\"'", ': "\'"@"\'"', ": a\\\\@", ": 'a\\'@", ': "a\\\\@"', "x=@; : $((x))", "x=@; y=x; : $((y+1))", "read x <<< @; (( x > 1 ))", "x=@; : ${HOME:x}", "x=@; [[ x -eq 1 ]]",
  "x=@; : ${x@P}", "x=@; : ${!x}", "x=@; a[x]=1", "x=@; declare -i y=x", "x=@; let x", "for x in @; do : $((x)); done", "f() { : $(($1)); }; f @", "x=@; eval $x", "x=@; $x", "@", "x=1 @", "! @", "command @", "builtin @",
  "declare -n r=@; : $r", "unset @", "printf -v @ 1", "read @ <<< 1", "set -- @; : $(($1))", "PS4=@; set -x; :", "y=(@); : $((y))", "printf -v x %s @; : $((x))", "[[ @ =~ (.*) ]]; : $((BASH_REMATCH[1]))", "mapfile -t m <<< @; : $((m))",
  ": ${u:-${u:-@}}", ": \"${u:-${u:-@}}\"", ": $(( ${u:-@} ))", ": ${x[${u:-@}]}", "while read -r l; do : $((l)); done <<< @", "coproc { : @; }; wait", "(: @) & wait", ": <<$'E'\n@\nE", ": <<E\"F\"\n@\nEF", ": <<-E\n@\n\tE\n: @", ": <<''\n@\n\n: @", ": <<$E\n@\n$E", ": <<E$x\n@\nE$x", ": <<`E`\n@\n`E`", ": << E # c\n@\nE",
  ": <<A <<B\n@\nA\n@\nB", ": <<E \\\n@\n x\nE", ": <<E\n\\\nE\n@\nE", ": <<E\nx\\\nE\n: @\nE", ": <<'E'\n\\\nE\n@\nE", ": <<E\n@", "declare -i n; n=@", "n=1; declare -i n; n+=@", "wait -p @ -n", "wait -p@ -n",
  "exec {fd}< @", "exec {x[@]}>/dev/null",
]; // prettier-ignore

/** Combines every payload with every place. */
export function probes(): string[] {
  return PLACES.flatMap((place) =>
    PAYLOADS.map((payload) =>
      place.replace(/@/g, (sign, at: number) =>
        /^@(P\}|\()/.test(place.slice(at)) ? sign : payload,
      ),
    ),
  );
}
