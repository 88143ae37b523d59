import { ToolError } from "../../base/errors.ts";
import { centre, contains, type ScreenPoint } from "../../base/geometry.ts";
import type { Located } from "../engine/action.ts";
import { pointOf } from "../find-element.ts";
import type { Surface } from "../surface.ts";
import { activityShapes, type ActivityLook, type Outcome } from "./activity-shapes.ts";
import { drawnScale } from "./drawn-scale.ts";

/** What can be shown of an action. */
export const activityParts = ["cursor", "flash", "effect", "status"] as const;
export type ActivityPart = (typeof activityParts)[number];

const layer = "activity";
const flashMs = 280;
const flashSteps = 4;
/** As long as a person needs to look there and read it. */
const staysMs = 4_000;

/** Shows a person where the agent acts, what it does, and what came of it. Never waited for. */
export class ActivityOverlay {
  readonly #surface: Surface;
  readonly #parts: ReadonlySet<ActivityPart>;
  readonly #onFailure: (error: unknown) => void;
  #look: ActivityLook = {};
  #timers: NodeJS.Timeout[] = [];
  #drawing: Promise<void> | undefined;
  #isOld = false;
  #isEnded = false;

  constructor(surface: Surface, parts: readonly ActivityPart[], onFailure: (error: unknown) => void) {
    this.#surface = surface;
    this.#parts = new Set(parts);
    this.#onFailure = onFailure;
  }

  acting(located: Located, what: string): void {
    const at = placeOf(located);
    this.#clearTimers();
    this.#show({ at: at ?? this.#look.at, status: what });
    if (!at || !this.#parts.has("flash")) return;
    for (let step = 0; step <= flashSteps; step++) {
      const flash = step < flashSteps ? step / (flashSteps - 1) : undefined;
      this.#after((step * flashMs) / flashSteps, () => this.#show({ ...this.#look, flash }));
    }
  }

  acted(outcome: Outcome, at: ScreenPoint | undefined): void {
    this.#show({ ...this.#look, outcome, ...(at ? { at } : {}) });
    this.#after(staysMs, () => this.#show({}));
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#clearTimers();
    await this.#drawing;
    // The screen may be what was lost.
    await this.#surface.backend.overlay?.hide(layer).catch(() => {});
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  #after(ms: number, work: () => void): void {
    this.#timers.push(setTimeout(work, ms).unref());
  }

  #show(look: ActivityLook): void {
    this.#look = look;
    this.#isOld = true;
    this.#drawing ??= this.#draw().finally(() => {
      this.#drawing = undefined;
    });
  }

  /** Draws the latest; what came between while it drew is left out. */
  async #draw(): Promise<void> {
    try {
      while (this.#isOld && !this.#isEnded) {
        this.#isOld = false;
        await this.#surface.need("overlay").show(layer, await this.#shapes());
      }
    } catch (error) {
      // A screen that is too busy to draw now will draw the next action.
      if (error instanceof ToolError && error.code !== "not_connected") return;
      this.#isEnded = true;
      this.#onFailure(error);
    }
  }

  async #shapes() {
    const { at, flash, outcome, status } = this.#look;
    const has = (part: ActivityPart): boolean => this.#parts.has(part);
    const displays = await this.#surface.need("screen").displays();
    const display =
      displays.find(({ bounds }) => at && contains(bounds, at)) ?? displays.find(({ isPrimary }) => isPrimary);
    if (!display) return [];
    const look = {
      at,
      hasCursor: has("cursor"),
      flash,
      outcome: has("effect") ? outcome : undefined,
      status: has("status") ? status : undefined,
    };
    return activityShapes(look, { ...display, scale: drawnScale(this.#surface, display) });
  }
}

function placeOf({ place, end }: Located): ScreenPoint | undefined {
  const { aim, node, rect } = end ?? place ?? {};
  return aim?.point ?? (node && pointOf(node)) ?? (rect && centre(rect));
}
