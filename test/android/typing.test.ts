import { beforeEach, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";
import { hardStrings, randomStrings } from "../simulators/android/strings.ts";

const session = useAndroid(small);
beforeEach(() => {
  session.device.phone.stop("org.example.notes");
  session.device.open("Notes");
  session.device.phone.touch(300, 300, "tap");
  session.device.forget();
});

/** The notes field takes several lines, so Enter and Tab are characters in it. */
const written = (): string => session.device.phone.focused?.text ?? "";

function empty(): void {
  const field = session.device.phone.focused;
  if (field) Object.assign(field, { text: "", caret: 0 });
}

test("27 hard strings are typed exactly, or refused whole [S2-132]", async () => {
  const wrong: unknown[] = [];
  for (const text of hardStrings) {
    empty();
    const { isError, data } = await session.handsight.ask("android_type_text", { text, settle_ms: 0 });
    if (text === "é") {
      expect(data["error"]).toMatchObject({ code: "not_supported", message: expect.stringContaining("é") });
      expect(written()).toBe("");
    } else if (isError || written() !== text) wrong.push({ text, got: written(), data });
  }
  expect(wrong).toEqual([]);
  expect(hardStrings).toHaveLength(27);
});

test("1000 random strings are typed exactly, and nothing of them runs [S2-132]", async () => {
  const texts = randomStrings(1000, 7);
  const quiet = new Map(session.device.calls);
  const atOnce = 50;
  const got: string[] = [];
  // Many texts as lines of one note: separate calls would take a minute, and would split the text in fewer places.
  for (let from = 0; from < texts.length; from += atOnce) {
    empty();
    await session.handsight.call("android_type_text", {
      text: texts.slice(from, from + atOnce).join("\n"),
      settle_ms: 0,
    });
    got.push(...written().split("\n"));
  }
  expect(got).toEqual(texts);
  expect(session.device.events().filter(({ kind }) => kind !== "text")).toEqual([]);
  const reading = new Set(["input", "dumpsys", "wm", "getprop", "settings", "ime", "uiautomator"]);
  const others = [...session.device.calls].filter(([name, count]) => !reading.has(name) && count !== quiet.get(name));
  expect(others).toEqual([]);
});

test("text that would be a command if quoting failed just appears in the field", async () => {
  const texts = [
    "x'; input tap 10 10; '",
    "$(input keyevent KEYCODE_HOME)",
    "`input keyevent KEYCODE_HOME`",
    "a\ninput keyevent KEYCODE_HOME\n",
    "a & am force-stop org.example.notes",
    "| input text no",
  ];
  for (const text of texts) {
    empty();
    await session.handsight.call("android_type_text", { text, settle_ms: 0 });
    expect(written()).toBe(text);
  }
  expect(session.device.events().every((event) => event.kind === "text")).toBe(true);
  expect(session.device.phone.front.label).toBe("Notes");
});

test("other letters are typed through a helper keyboard if there is one, and the user's own is restored", async () => {
  session.device.phone.hasHelperKeyboard = true;
  const own = session.device.phone.inputMethod;
  await session.handsight.call("android_type_text", { text: "Grüße, 世界 🙂" });
  expect(written()).toBe("Grüße, 世界 🙂");
  expect(session.device.phone.inputMethod).toBe(own);
  session.device.phone.hasHelperKeyboard = false;
});

test("other letters are pasted if a helper can fill the clipboard, and do not stay there", async () => {
  session.device.phone.hasClipboardHelper = true;
  session.device.phone.clipboard = "mine";
  const answer = await session.handsight.call("android_type_text", { text: "Grüße,\n世界 🙂 $(x) %s" });
  expect(answer).toMatchObject({ effect: "confirmed", dispatched_via: "helper clipboard" });
  expect(written()).toBe("Grüße,\n世界 🙂 $(x) %s");
  expect(session.device.phone.clipboard).toBe("");
  session.device.phone.hasClipboardHelper = false;
});

test("a text typed into a field is confirmed by the field", async () => {
  const answer = await session.handsight.call("android_type_text", { text: "seen" });
  expect(answer).toMatchObject({ effect: "confirmed", characters: 4 });
  expect(written()).toBe("seen");
});
