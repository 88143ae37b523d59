import type { Socket } from "node:net";

export interface StrangersOptions {
  /** How long a connection may take until its first request with the token. */
  readonly patienceMs: number;
  readonly most: number;
}

/**
 * Connections that have not shown the token yet. They have little time, and if there are too many, the oldest is
 * closed: silent connections must not keep out a real client.
 */
export class Strangers {
  readonly #options: StrangersOptions;
  readonly #waiting = new Map<Socket, NodeJS.Timeout>();

  constructor(options: StrangersOptions) {
    this.#options = options;
  }

  admit(socket: Socket): void {
    const timer = setTimeout(() => dismiss(socket), this.#options.patienceMs);
    timer.unref();
    this.#waiting.set(socket, timer);
    socket.once("close", () => this.welcome(socket));
    const [oldest] = this.#waiting.keys();
    if (oldest === undefined || this.#waiting.size <= this.#options.most) return;
    // Removed now, because its "close" event comes later, and until then it would count as the oldest again.
    this.welcome(oldest);
    oldest.destroy();
  }

  /** It has shown the token, or is gone. */
  welcome(socket: Socket): void {
    clearTimeout(this.#waiting.get(socket));
    this.#waiting.delete(socket);
  }
}

/** A client that has started a request is told why there is no answer. */
function dismiss(socket: Socket): void {
  if (socket.bytesRead > 0 && socket.bytesWritten === 0) {
    socket.write("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  }
  socket.destroySoon();
}
