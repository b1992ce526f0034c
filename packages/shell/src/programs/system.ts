import { CRUDINI } from "./in-place.ts";
import { file, hazard, unknown, type Findings } from "./findings.ts";
import { hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { known, prefix } from "./word-text.ts";
import { kind, many, one, options, reads } from "./option-groups.ts";

// An operand other than a format sets the clock.
function date(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands)
    if (!prefix(word).startsWith("+")) hazard(out, at, "write");
}

function settings(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands)
    if (prefix(word).includes("=")) hazard(out, at, "configure");
}

function opens(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  for (const { word } of use.operands) file(out, "execute", word);
  if (first !== undefined) hazard(out, first.at, "run");
}

function systemctl(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first === undefined) return;
  const name = first.word.text ?? "edit";
  if (
    /^(edit|set-environment|import-environment|set-property|enable|disable|mask|unmask|link|add-wants|add-requires|preset|set-default)$/.test(
      name,
    )
  )
    hazard(out, first.at, name === "edit" ? "run" : "configure");
}

function names(list: string, spec: Spec): Readonly<Record<string, Spec>> {
  return Object.fromEntries(
    list
      .trim()
      .split(/\s+/)
      .map((name) => [name, spec]),
  );
}

// `ps e` shows the environments of processes.
function ps(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands)
    if (!/^[a-df-zA-Z]*$|^\d[\d,]*$/.test(word.text ?? "e")) {
      hazard(out, at, "load");
      file(out, "read", known("/proc/self/environ"));
    }
}

const PS = options`-A -a -d -e -f -F -H -h -j -l -L -M -N -T -y -w -x -X -c -m -r -v -S --headers --no-headers --no-headings
  --no-heading --no-header --forest ${kind.value} -o --format -O -C -G --Group -g --group -p --pid --ppid -q --quick-pid -s --sid -t
  --tty -u --user -U --User --sort --cols --columns --width --rows --lines -k`;

const DATA: Spec = {};
const PRINTS: Spec = { prints: true };
const PRIVILEGED: Spec = { privilege: true, operands: [many("data")] };

export const SYSTEM: Readonly<Record<string, Spec>> = {
  ...names(
    `id whoami who w users groups logname uname arch nproc uptime free vmstat pgrep pstree pidof tty sleep usleep true false yes hostid locale getent getconf lscpu lsblk uuidgen sw_vers last lastlog apropos ipcs findmnt mountpoint runlevel lsmod lspci lsusb`,
    PRINTS,
  ),
  top: {
    options: options`-b -c -H -i -S -1 ${kind.value} -d -n -p -u -U -o -w -s -l -stats -pid -user`,
  },
  ...names(
    `iostat mpstat sar htop tput clear reset stty blkid env-vars printenv system_profiler cksum timedatectl-status units iotop dstat nvidia-smi sensors acpi dmidecode lshw hwinfo inxi neofetch fastfetch cowsay fortune figlet banner toilet lolcat xclip xsel pbcopy pbpaste wl-copy wl-paste notify-send wall write mesg say`,
    DATA,
  ),
  ps: { options: PS, more: ps },
  ...names(
    `shutdown reboot halt poweroff mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mkswap swapon swapoff fdisk sfdisk cfdisk parted gdisk wipefs useradd userdel usermod groupadd groupdel groupmod
    adduser deluser addgroup delgroup passwd chpasswd chsh chfn visudo insmod rmmod modprobe depmod iptables ip6tables nft ufw firewall-cmd losetup cryptsetup lvcreate lvremove vgcreate vgremove pvcreate pvremove hwclock
    setcap setenforce chcon restorecon aa-enforce update-grub grub-install ldconfig update-alternatives service rc-service chkconfig update-rc.d loginctl hostnamectl timedatectl localectl sysrq init telinit`,
    PRIVILEGED,
  ),
  // `launchctl submit -l name -- program`
  launchctl: { ...PRIVILEGED, carries: true },
  kill: {
    options: options`-L,--table -a,--all -p,--pid ${kind.value} -n,-s,--signal -q,--queue --timeout ${kind.optional} -l,--list`,
  },
  killall: {
    options: options`-e,--exact -I,--ignore-case -g,--process-group -i,--interactive -l,--list -q,--quiet -r,--regexp -v,--verbose
      -w,--wait ${kind.value} -s,--signal -n,--ns -o,--older-than -u,--user -y,--younger-than -Z,--context`,
  },
  pkill: {
    options: options`-e,--echo -c,--count -f,--full -i,--ignore-case -n,--newest -o,--oldest -v,--inverse -x,--exact -L,--logpidfile
      ${kind.value} --signal -g,--pgroup -G,--group -O,--older -P,--parent -s,--session -t,--terminal -u,--euid -U,--uid -q,--queue
      ${kind.read} -F,--pidfile`,
  },
  logger: {
    options: options`-i -s -d -T -e --rfc3164 ${kind.read} -f,--file ${kind.takes("host")} -n,--server ${kind.value} -P,--port -t,--tag
      -p,--priority -u,--socket -S,--size --msgid --sd-id --sd-param ${kind.optional} --id --rfc5424 ${kind.of("glued", { role: "read" })}
      --journald`,
  },
  mount: {
    options: options`-a -B,--bind -R,--rbind -M,--move -v -w -r -n -f -F -i -l -h -V ${kind.value} -t,--types -o,--options -L -U -O -T`,
    privilege: true,
    operands: ["read", "write"],
    below: "always",
  },
  umount: {
    options: options`-a -d -f -i -l -n -R -r -v -q ${kind.value} -t -O`,
    privilege: true,
    operands: [many("write")],
  },
  date: {
    options: options`-R,--rfc-email -u,--utc,--universal -j -n --help --version ${kind.value} -d,--date --rfc-3339 -v ${kind.flag} --debug
      ${kind.takes("read", "load")} -f,--file ${kind.optional} -I --iso-8601 ${kind.read} -r,--reference ${kind.flag} --resolution
      ${kind.valueThat("write")} -s,--set`,
    more: date,
  },
  gdate: {
    options: options`-R -u,--utc ${kind.value} -d,--date --rfc-3339 ${kind.takes("read", "load")} -f,--file ${kind.optional} -I
      ${kind.read} -r,--reference ${kind.valueThat("write")} -s,--set`,
    more: date,
  },
  hostname: {
    options: options`-a -A -d -f -i -I -s -y ${kind.flagThat("configure")} -b ${kind.takes("read", "configure")} -F`,
    operands: [one("data", "configure")],
  },
  domainname: { operands: [one("data", "configure")] },
  sysctl: {
    options: options`-a -A -b -d -e -n -N -q ${kind.of("glued", { does: "load" })} -p --load ${kind.flagThat("configure")} -w
      ${kind.flagThat("load")} --system ${kind.value} -r`,
    more: settings,
  },
  systemctl: {
    options: options`--user --system -a,--all -q --no-pager -l --now -f,--force --failed ${kind.takes("host", "configure")} -H,--host
      ${kind.value} -M,--machine -t,--type -p,--property -n,--lines -o,--output --state -s,--signal --kill-who ${kind.write} --root
      --image`,
    more: systemctl,
  },
  journalctl: {
    options: options`-f -k -r -x -e -a -q --no-pager -N -m ${kind.value} -u,--unit -n,--lines -p -S,--since -U,--until -o,--output
      -g,--grep -t -c -M -F ${kind.optional} -b ${kind.read} -D,--directory --file --root ${kind.valueThat("delete")} --vacuum-size
      --vacuum-time --vacuum-files ${kind.flagThat("write")} --rotate --flush --setup-keys --update-catalog --relinquish-var ${kind.flag}
      --sync --disk-usage --list-boots ${kind.write} --cursor-file`,
  },
  dmesg: {
    options: options`-H -k -r -T -t -u -w -x -S -P ${kind.flagThat("delete")} -c,--read-clear -C,--clear ${kind.flagThat("configure")} -D
      -E ${kind.valueThat("configure")} -n ${kind.read} -F ${kind.value} -f -l --since --until --time-format ${kind.optional} -L`,
  },
  open: {
    options: options`-e -t -f -F -R -g -j -n -W -h --args ${kind.script} -a ${kind.value} -b --env ${kind.read} --stdin ${kind.write}
      --stdout --stderr`,
    more: opens,
  },
  "xdg-open": { more: opens },
  start: { more: opens },
  gpg: reads`-a -b -c -d -e -s -k -K --import --export --gen-key --verify --list-keys --batch --yes -q ${kind.write} -o,--output
      --logger-file ${kind.load} --homedir --options --exec-path ${kind.value} --keyring -r -u --recv-keys ${kind.script} --photo-viewer
      ${kind.takes("exec", "run")} --agent-program --dirmngr-program --gpg-program ${kind.write} --attribute-file ${kind.takes("url")}
      --keyserver ${kind.valueThat("send")} --send-keys ${kind.valueThat("delete")} --delete-keys --delete-secret-keys`,
  gpg2: reads`${kind.write} -o,--output ${kind.load} --homedir --options --exec-path ${kind.script} --photo-viewer
      ${kind.takes("exec", "run")} --agent-program`,
  ldapsearch: { network: true, operands: [many("data")] },
  logrotate: {
    options: options`-d -f -v ${kind.write} -s -l ${kind.script} -m`,
    operands: [many("load")],
  },
  logsave: { wrap: 1 },
  xdotool: {
    more: (use, out) =>
      hasOption(use, "version help")
        ? undefined
        : unknown(out, "dynamic_script", "keys that `xdotool` types"),
  },
  defaults: {
    more: (use, out) =>
      use.operands
        .slice(0, 1)
        .forEach(
          ({ at, word }) =>
            /^(write|delete|import|rename)$/.test(word.text ?? "") && hazard(out, at, "configure"),
        ),
  },
  diskutil: PRIVILEGED,
  scutil: PRIVILEGED,
  dscl: PRIVILEGED,
  crudini: CRUDINI,
  tmpreaper: { operands: ["data", "delete"], below: "always" },
  debugfs: {
    options: options`-c ${kind.code} -R ${kind.load} -f ${kind.flagThat("write")} -w ${kind.value} -b -s`,
    operands: ["read"],
  },
};
