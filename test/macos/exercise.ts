import { screenPoint } from "../../src/base/geometry.ts";
import type { Backend } from "../../src/platform/backend.ts";
import { toScope } from "../../src/platform/scope.ts";
import type { Simulator } from "../simulators/macos/simulator.ts";

const pid = 501;

/** A bit of everything, and what came of it according to the simulated apps. Same code, same answer. */
export async function exercise({ backend, ask }: Simulator): Promise<Readonly<Record<string, unknown>>> {
  const { windows, screen, pointer, keyboard, elements, clipboard, apps } = need(backend);
  const listed = await windows.list();
  const { nodes } = await elements.tree(toScope({ pid }), { maxNodes: 500 });
  const idOf = (name: string): string =>
    nodes.find((node) => node.name === name && node.role !== "text")?.runtimeId ?? "";
  await ask("act focus field");
  await keyboard.text("Grüße 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢🎉 x");
  for (const key of ["left", "left"]) {
    for (const step of ["down", "up"] as const) await (step === "down" ? press(keyboard, key) : keyboard.up("shift"));
  }
  await keyboard.text("!");
  await elements.perform(idOf("Check me"), { name: "toggle" });
  await elements.perform(idOf("Volume"), { name: "set_value", value: 60 });
  await elements.perform(idOf("Fruit 2"), { name: "select" });
  const button = nodes.find(({ name }) => name === "Press me")?.bounds ?? { x: 0, y: 0, width: 0, height: 0 };
  const at = screenPoint(button.x + 20, button.y + 10);
  const [under] = await elements.at(at);
  await pointer.move(at);
  await pointer.tap?.("left");
  await pointer.move(screenPoint(80, 120));
  await pointer.wheel({ x: 0, y: 2 });
  const field = nodes.find(({ name }) => name === "Notes" && true)?.bounds;
  using picture = await screen.capture({ kind: "window", windowId: 11 });
  const row = 100 * picture.pixels.stride;
  await clipboard.write("copied");
  const read = await clipboard.read();
  const running = (await apps.running()).map(({ name }) => name).toSorted();
  await ask(`freeze ${pid}`);
  const frozen = await elements
    .tree(toScope({ pid }), { maxNodes: 10, timeoutMs: 200 })
    .catch((error: unknown) => error);
  await ask(`thaw ${pid}`);
  await pointer.down("left");
  return {
    windows: listed.map(({ title, bounds }) => [title, bounds]),
    names: nodes.map(({ name, role }) => `${role} ${name}`),
    under: under?.name,
    field,
    text: await ask("text"),
    log: await ask("log"),
    picture: [picture.pixels.width, picture.pixels.height, [...picture.pixels.data.subarray(row, row + 900)].join()],
    read,
    running,
    frozen: (frozen as { readonly code?: string }).code,
  };
}

async function press(keyboard: NonNullable<Backend["keyboard"]>, key: string): Promise<void> {
  await keyboard.down("shift");
  await keyboard.down(key);
  await keyboard.up(key);
}

function need({ windows, screen, pointer, keyboard, elements, clipboard, apps }: Backend) {
  if (!windows || !screen || !pointer || !keyboard || !elements || !clipboard || !apps)
    throw new Error("a part is missing");
  return { windows, screen, pointer, keyboard, elements, clipboard, apps };
}
