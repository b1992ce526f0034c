/** The older system whose reading applies. The systems differ from the default reading, and from each other. */
export type Compat = (typeof COMPAT_MODES)[number];
export const COMPAT_MODES = ["radium", "codemachine"] as const;
