/** Packages that are bundled with the command. A project may use them without installing them. */
export const OWN_PACKAGES = [
  "zod",
  ...[
    ...["kernel", "config"],
    ..."artifacts checkpoint consensus constitution coordinator event-log gates loop monitoring"
      .split(" ")
      .map((name) => `plugin-${name}`),
    ..."phases policy reasons status tasks tokens trigger vibecheck"
      .split(" ")
      .map((name) => `plugin-${name}`),
    ..."consensus coordinator everyday recommended tdd".split(" ").map((name) => `ruleset-${name}`),
  ].map((name) => `@bylaw/${name}`),
];
