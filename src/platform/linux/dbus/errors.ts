/** An error reply: another program refused the call. Branch on `errorName`. */
export class DBusError extends Error {
  override readonly name = "DBusError";
  readonly errorName: string;
  /** "interface.member on path of destination". */
  readonly call: string;

  constructor(errorName: string, message: string, call: string) {
    super(`${call}: ${message || errorName}`);
    this.errorName = errorName;
    this.call = call;
  }

  /** The object, its interface or the whole program does not exist, or no longer. */
  get isGone(): boolean {
    return gone.has(this.errorName);
  }

  /** The object exists but has no such interface, method or property. */
  get isUnsupported(): boolean {
    return unsupported.has(this.errorName);
  }
}

const prefix = "org.freedesktop.DBus.Error.";
const gone = new Set(
  ["UnknownObject", "ServiceUnknown", "NameHasNoOwner", "Disconnected", "NoReply"].map((name) => prefix + name),
);
const unsupported = new Set(
  ["UnknownMethod", "UnknownInterface", "UnknownProperty", "NotSupported", "InvalidArgs", "PropertyReadOnly"].map(
    (name) => prefix + name,
  ),
);
