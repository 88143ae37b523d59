import fc from "fast-check";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { fakeInput, needExtension } from "../../src/platform/linux/x11/extensions.ts";
import { createWindow, destroyWindow, mapWindow, unmapWindow } from "../../src/platform/linux/x11/requests.ts";
import { RequestWriter } from "../../src/platform/linux/x11/wire.ts";

const kinds = [
  "open",
  "open",
  "open inside",
  "open with alpha",
  "close",
  "map",
  "unmap",
  "move",
  "resize",
  "raise",
  "lower",
  "reparent",
  "border",
  "recolour border",
  "shape",
  "unshape",
  "keep contents",
  "fill",
  "fill",
  "fill",
  "clear",
  "scroll",
  "put image",
  "arc",
  "fill the root",
  "fill over children",
  "clear the root",
  "redirect all",
  "unredirect all",
  "redirect one",
  "unredirect one",
  "redirect inside",
  "move pointer",
  "picture of a window",
  "close all",
] as const;

export interface Step {
  readonly kind: (typeof kinds)[number];
  readonly which: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: number;
}

/** Changes to the screen, some of them reaching beyond its edges. */
export const step = (screen: { readonly width: number; readonly height: number }): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    which: fc.nat(),
    x: fc.integer({ min: -40, max: screen.width }),
    y: fc.integer({ min: -40, max: screen.height }),
    width: fc.integer({ min: 1, max: Math.round(screen.width / 3) }),
    height: fc.integer({ min: 1, max: Math.round(screen.height / 3) }),
    colour: fc.nat(0xffffff),
  });

interface Painted {
  readonly id: number;
  readonly context: number;
}

const clientBits = { x: 1, y: 2, width: 4, height: 8, borderWidth: 16, stackMode: 64 } as const;

/** A client that changes the screen in every way a client can. What the server refuses changes nothing. */
export class Painter {
  readonly #c: Connection;
  readonly #rootContext: number;
  #windows: Painted[] = [];

  constructor(c: Connection) {
    this.#c = c;
    this.#rootContext = this.#newContext(c.root);
  }

  get windows(): readonly number[] {
    return this.#windows.map(({ id }) => id);
  }

  /** Sends the step, without waiting for the server. */
  async take(step: Step): Promise<void> {
    const c = this.#c;
    const target = this.#windows[step.which % Math.max(1, this.#windows.length)];
    if (step.kind === "close all") for (const { id } of this.#windows.splice(0)) destroyWindow(c, id);
    else if (step.kind === "move pointer")
      await fakeInput(c, [{ kind: "motion", x: Math.max(0, step.x), y: Math.max(0, step.y) }]);
    else if (step.kind.startsWith("open")) this.#open(step, target);
    else if (/root|children/.test(step.kind)) this.#paintRoot(step);
    else if (/redirect/.test(step.kind)) await this.#redirect(step, target);
    else if (target && /shape/.test(step.kind)) await this.#shape(step, target);
    else if (target && /^(fill|clear|scroll|put image|arc)$/.test(step.kind)) this.#paint(step, target);
    else if (target) this.#arrange(step, target);
  }

  #open(step: Step, parent: Painted | undefined): void {
    const c = this.#c;
    const hasAlpha = step.kind === "open with alpha";
    const visual = hasAlpha ? c.setup.visuals.find(({ depth }) => depth === 32)?.id : undefined;
    const colormap = c.newId();
    if (visual !== undefined) c.send("CreateColormap", new RequestWriter(78).u32(colormap).u32(c.root).u32(visual));
    const id = createWindow(c, {
      ...step,
      ...(step.kind === "open inside" && parent ? { parent: parent.id, x: step.x % 60, y: step.y % 60 } : {}),
      ...(visual === undefined ? {} : { depth: 32, visual }),
      values: {
        backgroundPixel: step.colour,
        borderPixel: 0x00ff00,
        overrideRedirect: step.which % 2,
        ...(visual === undefined ? {} : { colormap }),
      },
    });
    mapWindow(c, id);
    this.#windows.push({ id, context: this.#newContext(id) });
  }

  #arrange({ kind, which, x, y, width, height, colour }: Step, { id }: Painted): void {
    const c = this.#c;
    const other = this.#windows[(which >> 8) % this.#windows.length]?.id ?? c.root;
    const configure = (values: { readonly [Name in keyof typeof clientBits]?: number }) => {
      const names = (Object.keys(clientBits) as (keyof typeof clientBits)[]).filter(
        (name) => values[name] !== undefined,
      );
      const mask = names.reduce((sum, name) => sum | clientBits[name], 0);
      const writer = new RequestWriter(12).u32(id).u16(mask).skip(2);
      for (const name of names) writer.u32(values[name] ?? 0);
      c.send("ConfigureWindow", writer);
    };
    const change = (bit: number, value: number) =>
      c.send("ChangeWindowAttributes", new RequestWriter(2).u32(id).u32(bit).u32(value));
    if (kind === "close") destroyWindow(c, id);
    else if (kind === "map") mapWindow(c, id);
    else if (kind === "unmap") unmapWindow(c, id);
    else if (kind === "move") configure({ x, y });
    else if (kind === "resize") configure({ x, y, width, height });
    else if (kind === "raise") configure({ stackMode: 0 });
    else if (kind === "lower") configure({ stackMode: 1 });
    else if (kind === "border") configure({ borderWidth: which % 12 });
    else if (kind === "recolour border") change(1 << 3, colour);
    else if (kind === "keep contents") change(1 << 6, which % 3);
    else if (kind === "reparent") {
      const parent = which % 2 === 0 ? c.root : other;
      c.send("ReparentWindow", new RequestWriter(7).u32(id).u32(parent).i16(x).i16(y));
    }
    if (kind === "close") this.#windows = this.#windows.filter((window) => window.id !== id);
  }

  #paint({ kind, which, x, y, width, height, colour }: Step, { id, context }: Painted): void {
    const c = this.#c;
    const [left, top] = [x % 50, y % 50];
    this.#choose(context, colour);
    const rect = (writer: RequestWriter) => writer.i16(left).i16(top).u16(width).u16(height);
    if (kind === "fill") c.send(kind, rect(new RequestWriter(70).u32(id).u32(context)));
    else if (kind === "clear") c.send(kind, rect(new RequestWriter(61).u32(id)));
    else if (kind === "arc")
      c.send(
        kind,
        rect(new RequestWriter(68).u32(id).u32(context))
          .i16(0)
          .i16(360 * 64),
      );
    else if (kind === "scroll") {
      const writer = new RequestWriter(62)
        .u32(id)
        .u32(id)
        .u32(context)
        .i16(left)
        .i16(top)
        .i16(left + 7)
        .i16(top + 5);
      c.send(kind, writer.u16(width).u16(height));
    } else {
      const depth = which % 2 === 0 ? 24 : 32;
      const bytes = Buffer.alloc(16 * 16 * 4, Buffer.from([colour, colour >> 8, colour >> 16, which]));
      const writer = new RequestWriter(72, 2).u32(id).u32(context).u16(16).u16(16).i16(left).i16(top);
      c.send(kind, writer.u8(0).u8(depth).skip(2).bytes(bytes));
    }
  }

  #paintRoot({ kind, x, y, width, height, colour }: Step): void {
    const c = this.#c;
    const context = this.#rootContext;
    if (kind === "clear the root") {
      c.send("ChangeWindowAttributes", new RequestWriter(2).u32(c.root).u32(2).u32(colour));
      c.send(kind, new RequestWriter(61).u32(c.root).i16(x).i16(y).u16(width).u16(height));
      return;
    }
    this.#choose(context, colour, kind === "fill over children");
    c.send(kind, new RequestWriter(70).u32(c.root).u32(context).i16(x).i16(y).u16(width).u16(height));
  }

  async #redirect({ kind }: Step, target: Painted | undefined): Promise<void> {
    const { opcode } = await needExtension(this.#c, "Composite");
    const minor =
      { "redirect one": 1, "redirect all": 2, "redirect inside": 2, "unredirect one": 3 }[kind as string] ?? 4;
    const window = kind.endsWith(" all") ? this.#c.root : target?.id;
    if (window !== undefined) this.#c.send(kind, new RequestWriter(opcode, minor).u32(window).u8(0).skip(3));
  }

  async #shape({ kind, width, height }: Step, { id }: Painted): Promise<void> {
    const { opcode } = await needExtension(this.#c, "SHAPE");
    if (kind === "unshape") {
      this.#c.send(kind, new RequestWriter(opcode, 2).u8(0).u8(0).skip(2).u32(id).i16(0).i16(0).u32(0));
      return;
    }
    const writer = new RequestWriter(opcode, 1).u8(0).u8(0).u8(0).skip(1).u32(id).i16(0).i16(0);
    this.#c.send(
      kind,
      writer
        .i16(3)
        .i16(3)
        .u16(width)
        .u16(Math.ceil(height / 2)),
    );
  }

  #newContext(drawable: number): number {
    const context = this.#c.newId();
    const withoutExposures = 1 << 16;
    this.#c.send("CreateGC", new RequestWriter(55).u32(context).u32(drawable).u32(withoutExposures).u32(0));
    return context;
  }

  #choose(context: number, foreground: number, includesInferiors = false): void {
    const bits = (1 << 2) | (1 << 15);
    const writer = new RequestWriter(56).u32(context).u32(bits).u32(foreground);
    this.#c.send("ChangeGC", writer.u32(includesInferiors ? 1 : 0));
  }
}
