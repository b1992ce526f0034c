// The commands and aliases of all npm versions in use. A prefix counts only if all versions agree on its meaning.
const NAMES: readonly string[] =
  `access add add-user adduser approve-scripts audit author bugs c cache ci cit clean-install clean-install-test completion config create ddp dedupe
  deny-scripts deprecate diff dist-tag dist-tags docs doctor edit exec explain explore find find-dupes fund get help help-search hlep home hook i ic in info
  init innit ins inst insta instal install install-ci-test install-clean install-scripts install-test isnt isnta isntal isntall isntall-clean issues it la
  link list ll ln login logout ls ogr org outdated owner pack ping pkg prefix profile prune publish query r rb rebuild remove repo restart rm root rum run
  run-script s sbom se search set show shrinkwrap sit stage star stars start stop t team test token trust tst u udpate un undeprecate uninstall unlink unpublish
  unstar up update upgrade urn v verison version view whoami why x`.split(/\s+/);

const EXACT: ReadonlySet<string> = new Set(NAMES);

/**
 * Completes the name of an npm subcommand. npm accepts unambiguous prefixes, and `runScript` for `run-script`. Other words are
 * returned unchanged.
 */
export function wholeNpmName(word: string): string {
  if (EXACT.has(word) || word === "") return word;
  const name = word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (EXACT.has(name)) return name;
  const found = NAMES.filter((one) => one.startsWith(name));
  return found.length === 1 && found[0] !== undefined ? found[0] : word;
}
