import type { EffectTable } from "./effect-patterns.ts";

/** The effects of file tools, shells and system tools, in addition to those of their operands. */
export const SYSTEM_EFFECTS: EffectTable = {
  "mv rename prename trash trash-put": { moves: "**" },
  rm: { deletes: "**", "delete-below": "--recursive" },
  "rmdir unlink truncate dd": { deletes: "**" },
  "shred srm": { deletes: "**", destroys: "**" },
  fuser: { kills: "-k" },
  chmod: { "weakens-guards": "777, 0777, a+rwx, a=rwx, ugo+rwx, o+w, +s, u+s, 4755" },
  "bash sh zsh dash ksh mksh fish ash rbash csh tcsh nu pwsh powershell cmd eval": {
    "runs-inline-code": "**",
  },
  "source .": { "runs-inline-code": "*" },
  osascript: { "runs-inline-code": "**" },
  printenv: { "handles-secrets": "**" },
  env: { "handles-secrets": "$", "runs-command": "*" },
  export: { reads: "*", "handles-secrets": "$, -p" },
  set: { "handles-secrets": "$" },
  history: { "weakens-guards": "-c, -w", reads: "*" },
  "gpg gpg2 openssl pass op vault security ssh-keygen ssh-add ssh-agent age sops": {
    "handles-secrets": "**",
  },
  "sudo sudoedit su doas pkexec runuser chroot nsenter": { escalates: "**" },
  "useradd userdel usermod groupadd groupdel passwd chpasswd chsh mount umount insmod rmmod modprobe":
    { escalates: "**" },
  "kill killall pkill": { kills: "**" },
  "shutdown reboot poweroff halt": { "powers-off": "**" },
  "init telinit": { "powers-off": "0, 6" },
  systemctl: {
    "powers-off": "poweroff, reboot, halt, kexec",
    kills: "stop, restart, kill",
    reads:
      "status, list-units, list-unit-files, list-timers, is-active, is-enabled, is-failed, show, cat",
    outlives: "*",
  },
  "crontab at batch launchctl nohup setsid tmux screen disown systemd-run": { outlives: "**" },
  setenforce: { "weakens-guards": "0, Permissive, permissive" },
  "iptables ip6tables": { "weakens-guards": "-F, --flush", escalates: "**" },
  nft: { "weakens-guards": "flush", escalates: "**" },
  ufw: { "weakens-guards": "disable, reset", escalates: "**" },
  csrutil: { "weakens-guards": "disable" },
  spctl: { "weakens-guards": "--master-disable" },
  auditctl: { "weakens-guards": "**" },
  [`mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkswap wipefs fdisk sfdisk cfdisk gdisk parted blkdiscard`]:
    { destroys: "**" },
  diskutil: { destroys: "eraseDisk, eraseVolume" },
  [`ps top date gdate hostname journalctl dmesg iostat mpstat sar tput clear nvidia-smi sensors ss netstat sw_vers cowsay fortune figlet
    units cksum find gfind fd fdfind cd pushd popd hash read mapfile readarray unset unalias readonly declare typeset local getopts break
    continue logout wait jobs alias trap compgen complete bind enable fc`]: { reads: "*" },
  [`timeout gtimeout nice ionice chrt taskset stdbuf time gtime watch flock unbuffer caffeinate chronic ifne entr xargs gxargs parallel
    hyperfine nodemon watchexec cross-env`]: { "runs-command": "*" },
};
