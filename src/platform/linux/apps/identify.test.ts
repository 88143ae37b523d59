import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { identifyApps } from "./identify.ts";

const base = mkdtempSync(join(tmpdir(), "handsight-identify-"));
const [bin, shared, personal] = ["bin", "shared", "personal"].map((name) => join(base, name)) as [
  string,
  string,
  string,
];
for (const folder of [bin, join(shared, "applications"), join(personal, "applications")])
  mkdirSync(folder, { recursive: true });
for (const name of ["notes", "env", "snap", "wine"]) {
  writeFileSync(join(bin, name), "#!/bin/true\n");
  chmodSync(join(bin, name), 0o755);
}
symlinkSync("notes", join(bin, "editor"));
symlinkSync("snap", join(bin, "player"));
symlinkSync("snap", join(bin, "painter"));
const entry = (folder: string, id: string, name: string, exec: string, more = "") =>
  writeFileSync(
    join(folder, "applications", `${id}.desktop`),
    `[Desktop Entry]\nType=Application\nName=${name}\nExec=${exec}\n${more}`,
  );
entry(shared, "org.example.Notes", "Sticky Notes", "notes %f", "StartupWMClass=StickyNotes\n");
entry(shared, "player", "Music Player", "env HINT=1 player %f");
entry(shared, "painter", "Paint", "painter");
entry(shared, "loader", "Windows Programs", "wine start %f");
entry(personal, "mine", "Mine", "notes --open");
afterAll(() => rmSync(base, { recursive: true }));

async function identify(app: string) {
  const env = { PATH: bin, XDG_DATA_HOME: personal, XDG_DATA_DIRS: shared };
  const [found] = await identifyApps([app], env);
  return found;
}

test.each([
  "notes",
  "editor",
  "org.example.Notes",
  "Sticky Notes",
  join(bin, "editor"),
  join(bin, "..", "bin", "notes"),
])("%s goes by every name of the app", async (app) => {
  const { names = [], file } = (await identify(app)) ?? {};
  expect(names).toEqual(expect.arrayContaining(["notes", "org.example.Notes", "Sticky Notes", "StickyNotes", "Mine"]));
  expect(file).toBe(join(bin, "notes"));
});

test("apps that are links to one launcher are not one app", async () => {
  const { names = [] } = (await identify("player")) ?? {};
  expect(names).toEqual(expect.arrayContaining(["player", "Music Player"]));
  expect(names).not.toEqual(expect.arrayContaining(["Paint"]));
});

test("an entry that starts its app through a launcher goes by the app's names", async () => {
  expect((await identify("Music Player"))?.names).toEqual(expect.arrayContaining(["player", "env"]));
});

test("an entry of the person's own is no installed app", async () => {
  expect(await identify("Mine")).toMatchObject({ isInstalled: false, isPersonal: true });
  expect(await identify("Windows Programs")).toMatchObject({
    isInstalled: true,
    isPersonal: false,
    words: ["wine", "start"],
  });
  expect(await identify("nothing of the kind")).toBeUndefined();
});
