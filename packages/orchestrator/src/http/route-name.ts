/** What identifies a route. */
export interface RouteName {
  readonly method: string;
  readonly path: string;
}
