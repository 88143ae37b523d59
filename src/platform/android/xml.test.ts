import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolError } from "../../base/errors.ts";
import { XmlReader, type XmlElement } from "./xml.ts";

const readXml = (text: string): readonly XmlElement[] => new XmlReader().read(text);

test("elements come parents first, with their attributes decoded", () => {
  const found = readXml(
    `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node text="a &lt;b&gt; &amp;amp; &quot;c&quot; &#10;&#x1F600;"><node text='x>y' /></node><node/></hierarchy>`,
  );
  expect(found.map(({ name, parent }) => [name, parent])).toEqual([
    ["hierarchy", -1],
    ["node", 0],
    ["node", 1],
    ["node", 0],
  ]);
  expect(found[1]?.attributes.get("text")).toBe('a <b> &amp; "c" \n\u{1f600}');
  expect(found[2]?.attributes.get("text")).toBe("x>y");
});

test.each([
  ["a document type", `<!DOCTYPE x [<!ENTITY a "b">]><hierarchy/>`],
  ["a comment", `<hierarchy><!-- x --></hierarchy>`],
  ["an end in the middle", `<hierarchy><node text="a">`],
  ["an end in a value", `<hierarchy><node text="a`],
  ["a wrong closing", `<hierarchy></node></hierarchy>`],
  ["a bare value", `<hierarchy a=b/>`],
  ["an attribute twice", `<hierarchy a="1" a="2"/>`],
  ["an endless nest", "<n>".repeat(400)],
  ["an endless list", "<n/>".repeat(40_000)],
])("%s is refused", (_what, text) => {
  expect(() => readXml(text)).toThrow(ToolError);
});

test("unknown entities stay as they are and invalid code points become a replacement character", () => {
  const found = readXml(`<n a="&nbsp; &#1114112; &"/>`);
  expect(found[0]?.attributes.get("a")).toBe("&nbsp; \ufffd &");
});

test("a text reads the same after another text as by itself", () => {
  const value = fc.string({ unit: fc.constantFrom("a", ">", "/", "'", "&gt;", " "), maxLength: 4 });
  const tag = fc.tuple(value, fc.constantFrom("", "/")).map(([text, end]) => `<n a="${text}"${end}>`);
  const text = fc.array(fc.oneof(tag, fc.constant("</n>")), { maxLength: 12 });
  const tryRead = (reader: XmlReader, parts: readonly string[]) => {
    try {
      return reader
        .read(`<n>${parts.join("")}</n>`)
        .map(({ attributes, ...rest }) => ({ ...rest, attributes: [...attributes] }));
    } catch (error) {
      return String(error);
    }
  };
  fc.assert(
    fc.property(text, text, (first, second) => {
      const reader = new XmlReader();
      tryRead(reader, first);
      tryRead(reader, [...first, ...second]);
      expect(tryRead(reader, second)).toEqual(tryRead(new XmlReader(), second));
    }),
  );
});

test("whatever comes, it ends with elements or a ToolError", () => {
  const pieces = fc.constantFrom(
    "<",
    ">",
    "</",
    "/>",
    "node",
    ' a="',
    '"',
    "'",
    "=",
    "&",
    "&#",
    ";",
    "x",
    " ",
    "<?",
    "?>",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      try {
        readXml(parts.join(""));
      } catch (error) {
        expect(error).toBeInstanceOf(ToolError);
      }
    }),
  );
});
