/** GNU tools, which have a prefix `g` on systems with their own versions of these tools. */
const GNU: ReadonlySet<string> = new Set(
  `base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir dircolors dirname du echo env expand expr factor false fmt fold groups
  head hostid id install join kill link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink
  realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee test timeout touch tr true truncate
  tsort tty uname unexpand uniq unlink uptime users vdir wc who whoami yes sed awk tar grep egrep fgrep find xargs make time which locate updatedb diff cmp indent patch m4`.split(
    /\s+/,
  ),
);

/** The name of a GNU tool without its `g` prefix. Undefined for other names. */
export function plainName(name: string): string | undefined {
  return name.startsWith("g") && GNU.has(name.slice(1)) ? name.slice(1) : undefined;
}

const WINDOWS = /\.(?:exe|com|cmd|bat)$/i;

/** Another name of the same program: without the ending `.exe` and similar, or without the prefix `g` of a GNU tool. */
export function otherName(name: string): string | undefined {
  return WINDOWS.test(name) ? name.replace(WINDOWS, "") : plainName(name);
}

/** Whether a program is known to accept abbreviated long options. */
export function abbreviates(name: string): boolean {
  return name === "git" || GNU.has(name) || plainName(name) !== undefined;
}
