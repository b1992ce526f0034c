/** The older system whose reading applies. The systems differ from the default reading, and from each other. */
export type Compat = (typeof COMPATS)[number];
export const COMPATS = ["radium", "codemachine"] as const;
