import type { IncomingMessage } from "node:http";

/** How many times the limit is still read, and dropped, so that the client gets to read the refusal. */
const patience = 4;

/** Reads the whole body, whether or not its length was announced. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | "too-large"> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > maxBytes * patience) return resolve("too-large");
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (received > maxBytes * patience) resolve("too-large");
    });
    request.on("end", () => resolve(received > maxBytes ? "too-large" : Buffer.concat(chunks)));
    request.on("error", reject);
  });
}
