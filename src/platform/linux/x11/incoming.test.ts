import fc from "fast-check";
import { expect, test } from "vitest";
import { Incoming, messageLength } from "./incoming.ts";

function message(kind: "reply" | "error" | "event" | "generic", extraWords: number): Buffer {
  const hasLength = kind === "reply" || kind === "generic";
  const bytes = Buffer.alloc(32 + (hasLength ? extraWords * 4 : 0), extraWords + 1);
  bytes[0] = { error: 0, reply: 1, event: 28, generic: 35 }[kind];
  bytes.writeUInt32LE(extraWords, 4);
  return bytes;
}

test("messages come out whole and in order, however the stream is cut and though the read buffer is reused", () => {
  const kind = fc.constantFrom("reply", "error", "event", "generic");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(kind, fc.nat(40)), { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 30 }),
      (descriptions, cuts) => {
        const messages = descriptions.map(([name, words]) => message(name, words));
        const stream = Buffer.concat(messages);
        const incoming = new Incoming(32, messageLength);
        const readBuffer = Buffer.alloc(90);
        const seen: Buffer[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const count = stream.copy(readBuffer, 0, at, at + (cuts[turn % cuts.length] ?? 1));
          for (const whole of incoming.add(readBuffer.subarray(0, count))) seen.push(whole);
          readBuffer.fill(0xee);
          at += count;
        }
        expect(seen.map((bytes) => bytes.toString("hex"))).toEqual(messages.map((bytes) => bytes.toString("hex")));
      },
    ),
  );
});
