/** Where `web_fetch` may go. */
export interface WebOptions {
  /** Hosts, such as `docs.example.org`, `*.example.org` or `localhost:8080`. A port that is not named is the usual one. */
  readonly hosts: readonly string[];
  /** Whether addresses of private networks and of this machine may be reached. Default: false. */
  readonly private?: boolean;
  /** Bytes of a page. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds of a whole call. Default: 20,000. */
  readonly timeoutMs?: number;
  /** Asks for the addresses of a name. Default: as the system does. */
  readonly addresses?: (name: string) => Promise<readonly string[]>;
}
