import { expect, test } from "vitest";
import { openModel } from "./open.ts";

test("a vendor without a key says which variable to set", () => {
  expect(() => openModel("anthropic:claude-opus-5-5", { env: {} })).toThrow(/needs a key/);
  expect(openModel("gemini:gemini-3.5-flash", { env: { GOOGLE_API_KEY: "k" } }).name).toBe("gemini:gemini-3.5-flash");
});

test("a model on this machine needs no key", () => {
  expect(openModel("chat:qwen2.5vl:7b", { env: {} })).toMatchObject({ name: "chat:qwen2.5vl:7b", sees: true });
});

test.each(["antropic:claude", "gpt-6", "chat:", ""])(
  '"%s" is not a model, and the message says how to write one',
  (spec) => {
    expect(() => openModel(spec, { env: {} })).toThrow(`There is no model "${spec}".`);
  },
);

test.each(["ftp://x", "not an address", "http://user:secret@host/v1"])(
  "the address %s is refused without being tried",
  (url) => {
    expect(() => openModel("chat:llava", { url, env: {} })).toThrow(/modelUrl must be/);
    expect(() => openModel("chat:llava", { url, env: {} })).not.toThrow(/secret/);
  },
);
