import { CRUDINI } from "./in-place.ts";
import { file, hazard, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses, type Use } from "./use.ts";
import { prefix } from "./words.ts";

// An operand that is no format sets the clock.
function date(use: Use, out: Out): void {
  for (const { at, word } of use.operands) if (!prefix(word).startsWith("+")) hazard(out, at, "write");
}

function settings(use: Use, out: Out): void {
  for (const { at, word } of use.operands) if (prefix(word).includes("=")) hazard(out, at, "configure");
}

function opens(use: Use, out: Out): void {
  const [first] = use.operands;
  for (const { word } of use.operands) file(out, "execute", word);
  if (first !== undefined) hazard(out, first.at, "run");
}

function systemctl(use: Use, out: Out): void {
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

const DATA: Spec = {};
const PRIVILEGED: Spec = { privilege: true, operands: "data*" };

/** Programs that look at or change the system. */
export const SYSTEM: Readonly<Record<string, Spec>> = {
  ...names(
    `id whoami who w users groups logname uname arch nproc uptime free vmstat iostat mpstat sar ps pgrep pstree pidof top htop tty tput clear reset stty locale getent getconf lscpu lsblk lspci lsusb lsmod
    blkid findmnt mountpoint env-vars printenv sleep usleep true false yes last lastlog hostid sw_vers system_profiler cksum ipcs runlevel timedatectl-status uuidgen units apropos
    iotop dstat nvidia-smi sensors acpi dmidecode lshw hwinfo inxi neofetch fastfetch cowsay fortune figlet banner toilet lolcat xclip xsel pbcopy pbpaste wl-copy wl-paste notify-send wall write mesg say`,
    DATA,
  ),
  ...names(
    `shutdown reboot halt poweroff mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mkswap swapon swapoff fdisk sfdisk cfdisk parted gdisk wipefs useradd userdel usermod groupadd groupdel groupmod
    adduser deluser addgroup delgroup passwd chpasswd chsh chfn visudo insmod rmmod modprobe depmod iptables ip6tables nft ufw firewall-cmd losetup cryptsetup lvcreate lvremove vgcreate vgremove pvcreate pvremove hwclock
    setcap setenforce chcon restorecon aa-enforce update-grub grub-install ldconfig update-alternatives service rc-service chkconfig update-rc.d loginctl hostnamectl timedatectl localectl sysrq init telinit`,
    PRIVILEGED,
  ),
  // `launchctl submit -l name -- program`
  launchctl: { ...PRIVILEGED, carries: true },
  kill: { options: "-n,-s,--signal= -l,--list? -L,--table -a,--all -q,--queue= -p,--pid --timeout=" },
  killall: {
    options:
      "-s,--signal= -e,--exact -I,--ignore-case -g,--process-group -i,--interactive -l,--list -n,--ns= -o,--older-than= -q,--quiet -r,--regexp -u,--user= -v,--verbose -w,--wait -y,--younger-than= -Z,--context=",
  },
  pkill: {
    options:
      "--signal= -e,--echo -c,--count -f,--full -g,--pgroup= -G,--group= -i,--ignore-case -n,--newest -o,--oldest -O,--older= -P,--parent= -s,--session= -t,--terminal= -u,--euid= -U,--uid= -v,--inverse -x,--exact -F,--pidfile=read -L,--logpidfile -q,--queue=",
  },
  logger: {
    options:
      "-f,--file=read -n,--server=host -P,--port= -t,--tag= -p,--priority= -u,--socket= -i --id? -s -d -T -e -S,--size= --rfc3164 --rfc5424? --journald?read --msgid= --sd-id= --sd-param=",
  },
  mount: {
    options: "-t,--types= -o,--options= -L= -U= -O= -T= -a -B,--bind -R,--rbind -M,--move -v -w -r -n -f -F -i -l -h -V",
    privilege: true,
    operands: "read write",
    below: "always",
  },
  umount: { options: "-t= -O= -a -d -f -i -l -n -R -r -v -q", privilege: true, operands: "write*" },
  date: {
    options:
      "-d,--date= --debug -f,--file=read!l -I? --iso-8601? -R,--rfc-email --rfc-3339= -r,--reference=read --resolution -s,--set=!w -u,--utc,--universal -j -n -v= --help --version",
    more: date,
  },
  gdate: { options: "-d,--date= -f,--file=read!l -I? -R --rfc-3339= -r,--reference=read -s,--set=!w -u,--utc", more: date },
  hostname: { options: "-a -A -b!c -d -f -F=read!c -i -I -s -y", operands: "data!c" },
  domainname: { operands: "data!c" },
  sysctl: { options: "-a -A -b -d -e -n -N -p?!l -q -w!c --system!l --load?!l -r=", more: settings },
  systemctl: {
    options:
      "--user --system -H,--host=host!c -M,--machine= --root=write!w --image=write!w -t,--type= -p,--property= -n,--lines= -o,--output= -a,--all -q --no-pager -l --now -f,--force --failed --state= -s,--signal= --kill-who=",
    more: systemctl,
  },
  journalctl: {
    options:
      "-u,--unit= -n,--lines= -f -b? -k -p= -S,--since= -U,--until= -o,--output= -g,--grep= -t= -D,--directory=read --file=read --root=read -r -x -e -a -q --no-pager --vacuum-size=!d --vacuum-time=!d --vacuum-files=!d --rotate!w --flush!w --sync --setup-keys!w --update-catalog!w --relinquish-var!w -c= --cursor-file=write!w -M= -F= -N -m --disk-usage --list-boots",
  },
  dmesg: {
    options:
      "-c,--read-clear!d -C,--clear!d -D!c -E!c -n=!c -F=read -f= -l= -H -k -L? -r -T -t -u -w -x -S -P --since= --until= --time-format=",
  },
  open: {
    options: "-a=prog!r -b= -e -t -f -F -R -g -j -n -W -h --args --env= --stdin=read --stdout=write!w --stderr=write!w",
    more: opens,
  },
  "xdg-open": { more: opens },
  start: { more: opens },
  gpg: {
    options:
      "-o,--output=write!w --homedir=load!l --options=load!l --keyring= --photo-viewer=prog!r --exec-path=load!l --agent-program=exec!r --dirmngr-program=exec!r --gpg-program=exec!r --logger-file=write!w --attribute-file=write!w -a -b -c -d -e -s -k -K -r= -u= --import --export --recv-keys= --keyserver=url --send-keys=!s --delete-keys=!d --delete-secret-keys=!d --gen-key --verify --list-keys --batch --yes -q",
    operands: "read*",
  },
  gpg2: {
    options: "-o,--output=write!w --homedir=load!l --options=load!l --photo-viewer=prog!r --exec-path=load!l --agent-program=exec!r",
    operands: "read*",
  },
  ldapsearch: { network: true, operands: "data*" },
  logrotate: { options: "-s=write!w -l=write!w -m=prog!r -d -f -v", operands: "load*" },
  logsave: { wrap: 1 },
  xdotool: { more: (use, out) => (uses(use, "version help") ? undefined : unknown(out, "dynamic_script", "keys that `xdotool` types")) },
  defaults: {
    more: (use, out) =>
      use.operands
        .slice(0, 1)
        .forEach(({ at, word }) => /^(write|delete|import|rename)$/.test(word.text ?? "") && hazard(out, at, "configure")),
  },
  diskutil: PRIVILEGED,
  scutil: PRIVILEGED,
  dscl: PRIVILEGED,
  crudini: CRUDINI,
  tmpreaper: { operands: "data delete", below: "always" },
  debugfs: { options: "-R=code!r -f=load!l -w!w -c -b= -s=", operands: "read" },
};
