import { expect } from "vitest";
import { bomb } from "../../support/bomb.ts";
import type { RawServer } from "../../support/raw-server.ts";
import { expectDone, expectNoFault, expectProtocolError, expectRefused, type Attack } from "./attack.ts";

export interface MessageStage {
  readonly server: RawServer;
}

const mb = 1024 * 1024;
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const call = (id: unknown, name: string, args: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}\n`;
const load = (server: RawServer, bytes: Uint8Array) => server.call("load_image", { image_base64: base64(bytes) });

/** Writes a request by hand and waits for its answer. */
async function askRaw(server: RawServer, make: (id: number) => string) {
  const id = server.nextId();
  const answer = server.answerTo(id);
  await server.write(make(id));
  return answer;
}

/** A GIF with one pixel that claims this size, with this many pictures. */
function gif(width: number, height: number, pictures: number): Uint8Array {
  const head = Buffer.from("GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff", "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const picture = Buffer.from("\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0", "latin1");
  return Buffer.concat([head, ...Array.from({ length: pictures }, () => picture), Buffer.from(";")]);
}

const entities = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha">${Array.from(
  { length: 20 },
  (_, index) => `<!ENTITY ${String.fromCharCode(98 + index)} "${`&${String.fromCharCode(97 + index)};`.repeat(10)}">`,
).join("")}]><svg xmlns="http://www.w3.org/2000/svg"><text>&u;</text></svg>`;

export const messageAttacks: readonly Attack<MessageStage>[] = [
  {
    name: "12 MB of base64 in load_image",
    run: async ({ server }) =>
      expectProtocolError(await server.call("load_image", { image_base64: "A".repeat(12_000_000) })),
  },
  {
    name: "5 MB of base64: more than a call may have, less than a message may",
    async run({ server }) {
      const answer = await server.call("load_image", { image_base64: "A".repeat(5_000_000) });
      expectRefused(answer, "invalid_argument");
      // Refused before it is decoded.
      expect(JSON.stringify(answer)).toContain("image_base64: ");
    },
  },
  {
    name: "a message of 60 MB whose id comes last",
    run: async ({ server }) =>
      expectProtocolError(
        await askRaw(
          server,
          (id) => `{"method":"ping","params":{"a":"${"x".repeat(60 * mb)}"},"jsonrpc":"2.0","id":${id}}\n`,
        ),
      ),
  },
  {
    name: "30 MB without an end of line, then a good message after it",
    async run({ server }) {
      await server.write("x".repeat(30 * mb));
      expectNoFault(await askRaw(server, (id) => `\n{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`));
    },
  },
  {
    name: "binary garbage, half characters, empty lines and lone brackets",
    run: ({ server }) =>
      server.write(
        Buffer.concat([
          Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 256)),
          Buffer.from([0x0a, 0xc3, 0x28, 0x0a, 0xff, 0xfe, 0x0a, 0x0a, 0x0d, 0x0a]),
          Buffer.from('{\n}\n[\n]\n"\n\u0000\n'),
        ]),
      ),
  },
  {
    name: "JSON that is no message: null, numbers, texts, lists, batches",
    run: ({ server }) =>
      server.write(
        'null\n1\n"a"\n[]\n[1,null,{}]\n{}\n[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n{"jsonrpc":"2.0"}\n',
      ),
  },
  {
    name: "messages with ids and methods of the wrong kind",
    run: ({ server }) =>
      server.write(
        ['{"id":{}', '{"id":[]', '{"id":null', '{"id":1e999', '{"id":-0.5']
          .map(
            (start) => `${start},"jsonrpc":"2.0","method":{}}\n${start},"jsonrpc":"2.0","method":"ping","params":7}\n`,
          )
          .join(""),
      ),
  },
  {
    name: "answers to questions nobody asked",
    run: ({ server }) =>
      server.write(
        '{"jsonrpc":"2.0","id":99999,"result":{}}\n{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}\n' +
          '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":424242}}\n' +
          '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"x"}}\n',
      ),
  },
  {
    name: "arguments nested 100 000 deep",
    run: async ({ server }) =>
      expectRefused(
        await askRaw(server, (id) => call(id, "click", `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)),
        "invalid_argument",
      ),
  },
  {
    name: "keys that change what every object is",
    async run({ server }) {
      const args = '{"__proto__":{"isError":true},"constructor":{"prototype":{"x":1}},"x":1,"y":1}';
      expectRefused(await askRaw(server, (id) => call(id, "move_mouse", args)), "invalid_argument");
    },
  },
  {
    name: "20 000 unknown arguments",
    async run({ server }) {
      const args = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`argument_${index}`, index]));
      expectRefused(await server.call("list_windows", args), "invalid_argument");
    },
  },
  {
    name: "an argument and a tool whose names have 3 million letters",
    async run({ server }) {
      expectRefused(await server.call("list_windows", { ["k".repeat(3_000_000)]: 1 }), "invalid_argument");
      expectRefused(await server.call("t".repeat(3_000_000)), "not_found");
    },
  },
  {
    name: "numbers at the end of what numbers are",
    async run({ server }) {
      for (const number of ["1e308", "-1e308", "1e999", "-0", "5e-324", "9007199254740993", '"NaN"', "null"]) {
        expectNoFault(await askRaw(server, (id) => call(id, "move_mouse", `{"x":${number},"y":${number}}`)));
      }
      for (const number of ["1e999", "1e15", "2147483648", "-1"]) {
        const args = `{"condition":"text_visible","text":"x","timeout_ms":${number}}`;
        expectRefused(await askRaw(server, (id) => call(id, "wait_for", args)), "invalid_argument");
      }
    },
  },
  {
    name: "10 000 requests at once",
    async run({ server }) {
      const ids = Array.from({ length: 10_000 }, () => server.nextId());
      const answers = ids.map((id) => server.answerTo(id));
      await server.write(ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`).join(""));
      expect(await Promise.all(answers)).toHaveLength(10_000);
    },
  },
  {
    name: "500 calls at once",
    async run({ server }) {
      const answers = await Promise.all(Array.from({ length: 500 }, () => server.call("get_mouse_position")));
      for (const answer of answers) expectDone(answer);
    },
  },
  {
    name: "300 calls that are cancelled while they wait",
    async run({ server }) {
      const ids = Array.from({ length: 300 }, () => server.nextId());
      const args = '{"condition":"window_exists","window_title":"nobody has it","timeout_ms":60000}';
      await server.write(ids.map((id) => call(id, "wait_for", args)).join(""));
      await server.write(
        ids
          .map(
            (requestId) =>
              `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })}\n`,
          )
          .join(""),
      );
      // An action waits for all observers.
      expectDone(await server.call("move_mouse", { x: 3, y: 3 }));
    },
  },
  {
    name: "a hundred requests with the same id",
    async run({ server }) {
      const id = server.nextId();
      const first = server.answerTo(id);
      await server.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`.repeat(100));
      expectNoFault(await first);
      const others = () => server.strays.filter((answer) => answer.id === id).length;
      await expect.poll(others, { timeout: 10_000 }).toBe(99);
    },
  },
  {
    name: "a selector of 100 000 letters, and one of 5 000 steps",
    async run({ server }) {
      for (const selector of ["(a+)+".repeat(20_000), "Button > ".repeat(5_000), `Button[name~=${"[".repeat(2_000)}`]) {
        expectNoFault(await server.call("find_elements", { selector }));
        expectNoFault(await server.call("wait_for", { condition: "element_exists", selector, timeout_ms: 100 }));
      }
    },
  },
  {
    name: "texts made to keep a matcher busy",
    async run({ server }) {
      for (const text of [
        "a".repeat(900),
        "((((((((a+)+)+)+)+)+)+)+)+$",
        "\u202e\u0000\ud800".repeat(100),
        "🦄".repeat(300),
      ]) {
        expectNoFault(await server.call("find_text", { text }));
        expectNoFault(await server.call("list_windows", { title: text }));
        expectNoFault(await server.call("focus_window", { window_title: text }));
      }
    },
  },
  {
    name: "pictures said to be larger than memory",
    async run({ server }) {
      for (const bytes of [bomb(30_000, 30_000), bomb(0x7fffffff, 0x7fffffff)]) {
        expectRefused(await load(server, bytes), "invalid_argument");
      }
    },
  },
  {
    name: "pictures without pixels",
    async run({ server }) {
      for (const bytes of [bomb(0, 0), bomb(0, 100), gif(1, 1, 0)]) {
        expectRefused(await load(server, bytes), "invalid_argument");
      }
    },
  },
  {
    name: "GIFs of 100 000 pictures, of no size and of four thousand million pixels",
    async run({ server }) {
      for (const bytes of [gif(1, 1, 100_000), gif(0, 0, 1), gif(65_535, 65_535, 1)]) {
        expectNoFault(await load(server, bytes));
      }
    },
  },
  {
    name: "an SVG whose entities grow to exabytes, and one that reads a file",
    async run({ server }) {
      const reading =
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="file:///dev/zero"/></svg>';
      for (const text of [entities, reading]) expectRefused(await load(server, Buffer.from(text)), "invalid_argument");
    },
  },
  {
    name: "files that begin like pictures and go on like none",
    async run({ server }) {
      const starts = [
        "\x89PNG\r\n\x1a\n",
        "\xff\xd8\xff\xe0",
        "GIF89a",
        "RIFF\xff\xff\xff\xffWEBPVP8 ",
        "II*\0\x08\0\0\0",
        "\0\0\0 ftypavif",
      ];
      for (const start of starts) {
        const rest = Array.from({ length: 3_000 }, (_, index) => (index * 7_919) % 256);
        expectRefused(
          await load(server, Buffer.concat([Buffer.from(start, "latin1"), Buffer.from(rest)])),
          "invalid_argument",
        );
      }
    },
  },
  {
    name: "pictures to compare and to look for that are none",
    async run({ server }) {
      const template_image_base64 = base64(bomb(20_000, 20_000));
      expectRefused(await server.call("find_image", { template_image_base64 }), "invalid_argument");
      expectRefused(await server.call("find_image", { template_image_base64: "%%%" }), "invalid_argument");
      expectRefused(await server.call("find_image", { template_id: "img1" }), "not_found");
    },
  },
  {
    name: "2 000 subscriptions",
    async run({ server }) {
      const answers = await Promise.all(
        Array.from({ length: 2_000 }, (_, index) =>
          server.ask("resources/subscribe", { uri: `handsight://journal/s${index}` }),
        ),
      );
      expectProtocolError(answers.at(-1) ?? {});
      await Promise.all(
        answers.map((_, index) => server.ask("resources/unsubscribe", { uri: `handsight://journal/s${index}` })),
      );
    },
  },
  {
    name: "methods, resources, prompts and completions of any kind",
    async run({ server }) {
      const asked: readonly (readonly [string, unknown])[] = [
        ["x".repeat(100_000), {}],
        ["tools/call", {}],
        ["tools/call", { name: "click", arguments: [] }],
        ["tools/call", { name: ["click"] }],
        ["resources/read", { uri: "handsight://frames/" + "../".repeat(10_000) }],
        ["resources/read", { uri: 7 }],
        ["prompts/get", { name: "__proto__", arguments: { constructor: "x" } }],
        ["completion/complete", { ref: { type: "ref/prompt", name: "toString" }, argument: { name: "a", value: "x" } }],
        ["logging/setLevel", { level: "loud" }],
        ["initialize", { protocolVersion: "1900-01-01" }],
      ];
      for (const [method, params] of asked) {
        const answer = await server.ask(method, params);
        if (method === "initialize") expectNoFault(answer);
        else expectProtocolError(answer);
      }
    },
  },
];
