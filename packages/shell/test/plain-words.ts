/** Programs, built-ins and reserved words, and names that could confuse the tables. */
export const PROGRAMS: readonly string[] =
  `. : HOME PATH [ __proto__ alias apt apt-get at awk aws az base64 bash bg break brew builtin bun busybox cargo case cat cd
  chmod chown cmake command constructor continue coproc corepack cp crontab curl cut dd declare deno df diff dirs disown do
  doas docker done dotnet dpkg du echo elif else emacs enable env esac eval exec exit export false fc fg fi file find flock for
  function gcc gcloud getopts gh git go gpg gradle grep gzip hasOwnProperty hash head hg history if in java jobs jq kill
  kubectl less let ln local ls lua make man mapfile mkdir mkfs more mount mv mvn mysql nano nc nice node node-20 nohup npm npx
  od openssl parallel patch perl php pip pkill pnpm podman popd printf prog7 ps psql pushd pwd python python3 python3.12 read
  readarray readlink readonly realpath redis-cli return rg rm rsync ruby rustc scp screen script sed select set setsid sh shopt
  sort source sqlite3 ssh stat stdbuf strace su sudo svn systemctl tail tar tee terraform test then time timeout tmux toString
  top touch tr trap true tsx type typeset ulimit umask unalias uniq unknown unset until unzip vi vim wait watch wc wget which
  while xargs xxd yarn yq zip zsh`.split(/\s+/);
/** Words that are mostly literal. */
export const WORDS: readonly string[] =
  `a b.ts src/x -x -rf --flag --flag=value -c -e -i -n - -- A=1 PATH=. HOME=x CI=1 GIT_PAGER=x core.pager=less alias.x=status -C
  .. . / /etc/passwd ./x @ @x %1 + +x a:b :x host:/x http://h/x user@host 1 20 2.5 x,y x^ HEAD~1 ~ ~/x a+=b x=y=z -o
  -oProxyCommand=x -exec -delete {} status push commit run exec install test build --output=x -w --help --version -S -p`.split(
    /\s+/,
  );
