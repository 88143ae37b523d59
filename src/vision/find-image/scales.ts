import { ToolError } from "../../base/errors.ts";

export interface ScaleRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** Scales that are searched together, and how far beyond them the size may be adjusted. */
export interface Stage {
  readonly scales: readonly number[];
  readonly least: number;
  readonly most: number;
  /** The relative difference between neighbouring scales; 0 keeps the size unchanged. */
  readonly spacing: number;
}

const mostScales = 100;
/** Ratios between common display scales (100, 125, 150, 175, 200 %). */
const likely = [2, 0.5, 1.25, 0.8, 1.5, 2 / 3, 1.75, 4 / 7];

const only = (scale: number): Stage => ({ scales: [scale], least: scale, most: scale, spacing: 0 });

function geometric(least: number, most: number, factor: number): Stage {
  const count = Math.round(Math.log(most / least) / Math.log(factor));
  const scales = Array.from({ length: count + 1 }, (_, index) => least * factor ** index);
  return { scales, least: least / factor ** 0.5, most: most * factor ** 0.5, spacing: factor - 1 };
}

/** In the order in which they are tried. `hint` is a scale that is likely for another reason. */
export function stages(mode: "fast" | "accurate", range: ScaleRange | undefined, hint: number | undefined): Stage[] {
  if (range) return [linear(range)];
  const hinted = hint === undefined || Math.abs(hint - 1) < 0.01 ? [] : [hint];
  if (mode === "accurate") return [geometric(0.4, 2.5, 1.08)];
  const near = [...hinted, ...likely];
  return [
    only(1),
    { scales: near, least: Math.min(...near) * 0.97, most: Math.max(...near) * 1.03, spacing: 0.03 },
    geometric(0.5, 2, 2 ** (1 / 6)),
  ];
}

function linear({ min, max, step }: ScaleRange): Stage {
  if (max < min) throw new ToolError("invalid_argument", `scales: max (${max}) is below min (${min}).`);
  const count = Math.floor((max - min) / step + 1e-9) + 1;
  if (count > mostScales) {
    throw new ToolError("invalid_argument", `scales: ${count} steps are more than ${mostScales}.`, {
      hint: "Use a larger step or a smaller range; sizes between two steps are found too.",
    });
  }
  const scales = Array.from({ length: count }, (_, index) => min + index * step);
  if (scales.length === 1) return only(min);
  return { scales, least: min, most: max, spacing: step / Math.sqrt(min * max) };
}
