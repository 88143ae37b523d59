/** Where a call goes; `destination` is empty on a peer-to-peer connection. */
export interface Method {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
}

export interface BusCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Let the daemon start the program that owns the name; by default a call never starts anything. */
  readonly canStart?: boolean;
}

export const showMethod = ({ destination, path, interface: name, member }: Method): string =>
  `${name}.${member} on ${path}${destination === "" ? "" : ` of ${destination}`}`;
