import { screenPoint, type Rect, type Size } from "../base/geometry.ts";
import { toImage } from "../surface/view.ts";

/** A picture of the run. */
export interface Frame {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly size: Size;
  /** The part of the screen it shows. */
  readonly bounds: Rect;
  /** The call that took it. */
  readonly step: string;
  /** Milliseconds from the start of the run. */
  readonly time: number;
}

export interface SnapshotOptions {
  readonly callId: string;
  readonly pageId: string;
  readonly phase: "before" | "input" | "after";
  readonly frame: Frame;
  readonly time: number;
  /** When the run began. */
  readonly start: number;
  readonly point: { readonly x: number; readonly y: number } | undefined;
  /** Whether to draw where the call acted. */
  readonly isMarked: boolean;
}

const mark =
  "position:absolute;width:24px;height:24px;margin:-14px 0 0 -14px;border:3px solid #e11d48;border-radius:50%;" +
  "box-shadow:0 0 0 2px #fff, inset 0 0 0 2px #fff";

/** The viewer shows pages, so this is a page that contains only the picture. */
export function actionSnapshot(options: SnapshotOptions): Readonly<Record<string, unknown>> {
  const { callId, pageId, phase, frame, time, start, point, isMarked } = options;
  const { size, bounds, bytes, name } = frame;
  const source = `data:${mimeTypeOf(name)};base64,${Buffer.from(bytes).toString("base64")}`;
  const at = point && isMarked ? toImage({ bounds, image: size }, screenPoint(point.x, point.y)) : undefined;
  return {
    type: "frame-snapshot",
    snapshot: {
      callId,
      snapshotName: `${phase}@${callId}`,
      pageId,
      frameId: "frame@1",
      frameUrl: "about:blank",
      doctype: "html",
      html: [
        "HTML",
        {},
        ["HEAD", {}],
        [
          "BODY",
          { style: "margin:0;position:relative" },
          ["IMG", { src: source, style: `display:block;width:${size.width}px;height:${size.height}px` }],
          ...(at ? [["DIV", { style: `${mark};left:${at.x}px;top:${at.y}px` }]] : []),
        ],
      ],
      viewport: size,
      timestamp: time,
      wallTime: start + time,
      collectionTime: 0,
      resourceOverrides: [],
      isMainFrame: true,
    },
  };
}

const mimeTypeOf = (name: string): string =>
  name.endsWith(".png") ? "image/png" : name.endsWith(".webp") ? "image/webp" : "image/jpeg";
