/**
 * The script that contains a program. It runs as root of its own user namespace, in the workspace,
 * carries out all steps in order, and then starts the program without rights over the mounts. If a
 * step fails, nothing is started. Starting `mount` is slow, so mounts are collected and made by one
 * `mount --all`, which must confirm each of them.
 */
export const SCRIPT = `mount=$1 unshare=$2 setpriv=$3 user=$4 group=$5 work=$6 cwd=$7 count=$8; shift 8
line='
'
lines= expected=0 table=/tmp/.mounts
refuse() { echo "This program could not be contained: $1" >&2; exit 125; }
fail() { refuse "$1 failed"; }
try() { "$@" || fail "$*"; }
later() { lines="$lines$1 $2 $3 $4 0 0$line"; expected=$((expected + 1)); }
now() {
  [ "$expected" -gt 0 ] || return 0
  printf '%s' "$lines" > "$table" || fail "$table"
  said=$("$mount" -n -a -v -T "$table") || fail "$said"
  IFS=$line; for one in $said; do case "$one" in *": successfully mounted") expected=$((expected - 1));; esac; done; unset IFS
  [ "$expected" -eq 0 ] || fail "$said"
  lines=
}
lock() { now; try "$mount" -n -o "remount,bind,$2,ro" "$1"; }
# A folder that holds the workspace, of which only the way there is left.
cover() {
  now; [ -d "$1" ] || try /bin/mkdir -p "$1"
  try "$mount" -n -t tmpfs -o nosuid,nodev,size=64k,mode=0755 bylaw "$1"
  try /bin/mkdir -p "$work"; lock "$1" nosuid,nodev
}
place() {
  if [ -d "$1" ]; then try /bin/mkdir -p "$2"
  else try /bin/mkdir -p "\${2%/*}"; : > "$2" || fail "$2"; fi
}
closed() {
  folder=\${1%/*}; while [ -n "$folder" ] && [ ! -e "$folder" ]; do folder=\${folder%/*}; done
  refuse "user $user may not enter \\\`\${folder:-/}\\\`. Let this user enter it, or remove \\\`$1\\\` from \\\`PATH\\\`"
}
save() { now; [ -e "$1" ] || closed "$1"; place "$1" "$2"; try "$mount" -n --rbind "$1" "$2"; }
restore() { now; place "$2" "$1"; try "$mount" -n --move "$2" "$1"; /bin/rmdir "$2" 2> /dev/null || /bin/rm -f "$2"; }
# Made in /tmp, where something else is mounted later.
devices() {
  try "$mount" -n -t tmpfs -o nosuid,noexec,size=64k,mode=0755 bylaw-devices /tmp
  new=/tmp/dev; try /bin/mkdir "$new" "$new/pts" "$new/shm"
  for name in null zero full random urandom tty; do
    [ -e "/dev/$name" ] || continue
    : > "$new/$name" || fail "/dev/$name"
    later "/dev/$name" "$new/$name" none bind
  done
  later bylaw "$new/pts" devpts nosuid,noexec,newinstance,ptmxmode=0666,mode=0620
  later bylaw "$new/shm" tmpfs nosuid,nodev,noexec,size=1g,mode=1777
  : > "$new/ptmx" || fail /dev/ptmx
  later "$new/pts/ptmx" "$new/ptmx" none bind
  try /bin/cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr "$new/"
  later "$new" /dev none rbind,ro,nosuid,noexec
}
work() {
  [ "$work" != / ] || return 0
  now; [ -d "$work" ] || try /bin/mkdir -p "$work"
  try "$mount" -n --no-canonicalize --rbind . "$work"; try cd "$work"
  table=/dev/shm/.mounts
}
echo 1 > /proc/sys/user/max_user_namespaces || fail "a limit of user namespaces"
while [ "$count" -gt 0 ]; do
  case "$1" in
    work) work;;
    devices) devices;;
    stage) try "$mount" -n -t tmpfs -o nosuid,nodev,size=64k,mode=0755 bylaw "$2";;
    unstage) now; try "\${mount%mount}umount" "$2";;
    save) save "$2" "$3";;
    restore) restore "$2" "$3";;
    cover) cover "$2";;
    *) if [ -e "$2" ]; then case "$1" in
        temporary) later bylaw "$3" tmpfs nosuid,nodev,size=2g,mode=1777;;
        empty) later bylaw "$3" tmpfs nosuid,nodev,size=64k,mode=0755;;
        hide) if [ -d "$2" ]; then later bylaw "$3" tmpfs ro,nosuid,nodev,size=4k,mode=0555; else later /dev/null "$3" none bind; fi;;
        pin) later "$3" "$3" none rbind;;
        protect) later "$3" "$3" none "rbind,ro,$4";;
        lock) lock "$2" "$4";;
        *) fail "$1";;
      esac; fi;;
  esac
  shift 4; count=$((count - 1))
done
now; [ ! -e "$table" ] || try /bin/rm "$table"; try cd "$cwd"
"$unshare" --user --map-user="$user" --map-group="$group" --keep-caps -- \\
  "$setpriv" --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"`;
