import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Started last, one of these would run alone at the end while the other workers are idle. */
const longest = [
  "desktop/memory",
  "browser/torture",
  "agent/instructions",
  "vision/ocr-truth",
  "desktop/refs",
  "desktop/element-faults",
  "desktop/effects",
  "policy/blocked",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
