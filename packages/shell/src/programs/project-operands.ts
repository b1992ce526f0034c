import type { Word } from "../analysis.ts";
import type { Findings } from "./findings.ts";
import { baseName } from "./word-text.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

// Programs that run code from the files that they are given, or settings from the folders.
const RUNNERS = words(
  `pytest py.test unittest nose2 doctest tox nox flask uvicorn gunicorn celery mocha ava tap tape uvu vitest astro next nuxt vite
  storybook webpack eslint prettier stylelint xo standard svelte-check rspec cucumber rubocop standardrb reek rails rake phpunit pest
  phpstan psalm prove bats busted crystal mix rebar3 go dotnet flutter dart zig swift deno cmake ctest dune cabal stack tree-sitter
  playwright cypress just task php-cs-fixer rector artisan markdownlint markdownlint-cli2 cspell ansible-lint depcheck attw publint
  commitlint size-limit tsd brakeman steep luacheck
  sphinx-build`,
);
// Further programs that run what the settings of their working folder name, such as plugins, tasks or a compiler.
const FOLDER_RUNNERS = words(
  `git babel swc tsup unbuild tsdown react-scripts vue-cli-service ng madge gulp grunt rush clj clojure lein bundle bundler composer
  poetry uv pdm hatch rye pipenv cargo terraform tofu terragrunt tflint`,
);
// Programs that may come before one of them.
const LAUNCHERS =
  /^(?:python[\d.]*|poetry|uv|pipenv|pdm|hatch|rye|bundle|npx|pnpx|bunx|pnpm|yarn|npm|coverage|php|time|nice)$/;

// The program is among the first words: `poetry run python -m pytest tests`.
const MAX_BEFORE = 8;

/** Notes the files and folders that a program is given, if it runs code that it finds there. */
export function noteProjects({ argv, effects }: Findings): void {
  if (!startsOneOf(RUNNERS, argv)) return;
  const paths = effects.flatMap((effect) => (effect.kind === "read" ? effect.path : []));
  for (const path of paths) effects.push({ kind: "project", path });
}

/** Whether a command runs the code that it finds in its working folder. */
export const runsFolder = (argv: readonly Word[]): boolean =>
  startsOneOf(RUNNERS, argv) || startsOneOf(FOLDER_RUNNERS, argv);

/** Whether a command starts one of these programs, itself or by a launcher such as `npx`. */
export function startsOneOf(programs: ReadonlySet<string>, argv: readonly Word[]): boolean {
  const [first, ...others] = argv
    .slice(0, MAX_BEFORE)
    .map(({ text = "" }) => baseName(text).toLowerCase());
  if (first === undefined) return false;
  return (
    programs.has(first) || (LAUNCHERS.test(first) && others.some((name) => programs.has(name)))
  );
}
