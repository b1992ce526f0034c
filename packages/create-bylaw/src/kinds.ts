/** The kinds of projects, with the first commands to run in each. */
export const KINDS = {
  host: {
    title: "A project whose coding agent Bylaw guards",
    next: ["npm test", "npx bylaw install claude-code --project", "npx bylaw doctor claude-code"],
  },
  plugin: { title: "A plugin: checks with options, under one name", next: ["npm test"] },
  check: { title: "A gate check: holds a task until its work is right", next: ["npm test"] },
  ruleset: { title: "A ruleset: rules as data, to share on npm", next: ["npm test"] },
} as const;

export type Kind = keyof typeof KINDS;

export const isKind = (word: string): word is Kind => Object.hasOwn(KINDS, word);
