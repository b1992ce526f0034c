/** Whose reading of a request holds where the two origins differ from the better rule, or from each other. */
export type Compat = (typeof COMPATS)[number];
export const COMPATS = ["radium", "codemachine"] as const;
