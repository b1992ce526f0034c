// What a step gets without being named. Everything else stays behind: secrets, and what would steer what it starts.
const HANDED_ON: readonly string[] = [
  ...["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER", "TERM"],
  // Without these nothing starts on Windows.
  ...["ComSpec", "PATHEXT", "SystemRoot", "TEMP", "TMP", "USERPROFILE", "LOCALAPPDATA", "APPDATA"],
];

/** The environment of a step: a few names, those that the template hands on, and what says where it stands. */
export function stepEnvironment(
  names: readonly string[],
  said: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const name of [...HANDED_ON, ...names]) {
    const value = given[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...said };
}
