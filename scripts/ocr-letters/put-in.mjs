// @ts-check
/**
 * Gives the recogniser of the package the second head that `train.py` learned: `node scripts/ocr-letters/put-in.mjs <folder>`.
 * It reads the same values as the first one, and its answers come after those of the first in each step.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Network } from "../ocr-weights/network.mjs";
import { pack } from "../ocr-weights/packed.mjs";

const first = { from: "conv2d_58.tmp_0", to: "softmax_2.tmp_0", joined: "p2o.Concat.3", classes: 2 };
const own = (/** @type {string} */ name) => `letters.${name}`;

const [, , folder = ""] = process.argv;
const network = new Network(readFileSync(join(folder, "recogniser.onnx")));
const bytes = readFileSync(join(folder, "learned.bin"));
/** @type {{ letters: string[], tensors: { name: string, dims: number[], offset: number }[] }} */
const { letters, tensors } = JSON.parse(readFileSync(join(folder, "learned.json"), "utf8"));

const begin = network.nodes.indexOf(network.maker(first.from));
const end = network.nodes.indexOf(network.maker(first.to));
const made = new Set(network.nodes.slice(begin, end + 1).flatMap(({ outputs }) => outputs));
const learned = new Set(tensors.map(({ name }) => name));
const copies = network.nodes.slice(begin, end + 1).map((node) => {
  const copy = node.copy();
  copy.inputs = node.inputs.map((name) => (made.has(name) || learned.has(name) ? own(name) : name));
  copy.outputs = node.outputs.map(own);
  return copy;
});
const join2 = network.maker(first.joined).copy();
join2.set("axis", first.classes);
join2.inputs = [own(`first.${first.to}`), own(first.to)];
join2.outputs = [first.to];
network.maker(first.to).outputs = [own(`first.${first.to}`)];
network.nodes.splice(end + 1, 0, ...copies, join2);
for (const { name, dims, offset } of tensors) {
  const count = dims.reduce((product, side) => product * side, 1);
  const data = Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(4 * (offset + i)));
  network.weights.set(own(name), { dims, data });
}
const target = new URL("../../assets/ocr/", import.meta.url);
const packed = pack(network.toBytes());
writeFileSync(new URL("latin-v3.br", target), packed);
writeFileSync(new URL("latin-accents.txt", target), `${letters.join("\n")}\n`);
console.log(`latin-v3.br: ${packed.length} bytes, ${letters.length} letters`);
