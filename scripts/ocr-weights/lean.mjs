// @ts-check
import { Network } from "./network.mjs";

/** @typedef {import("./network.mjs").Node} Node */

// A channel whose weights can move its value by no more than this has the same value everywhere.
const negligible = 1e-6;
// What is made of such a value must be this small to be left out where it cannot be added to a constant.
const forgettable = 1e-4;
// Runtimes compute this many channels at once.
const block = 8;

/**
 * Takes out of the recogniser what does not change its answers on lines 33 to 48 pixels high: a tenth of its work.
 * Training has left many channels without weights, two layers have three rows of weights for one row of values, and a
 * third of one layer's rows is thrown away by the next.
 * @param {Buffer} model
 */
export function lean(model) {
  const network = new Network(model);
  dropChannels(network);
  dropLastChannels(network);
  flatten(network);
  keepTwoRows(network);
  return network.toBytes();
}

/**
 * Keeps some of a tensor along one of its sides.
 * @param {Network} network
 * @param {string | undefined} name
 * @param {number} axis
 * @param {readonly number[]} keep
 */
function cut(network, name, axis, keep) {
  const { dims, data } = network.weightsOf(name);
  const size = dims[axis] ?? 0;
  const inner = dims.slice(axis + 1).reduce((product, side) => product * side, 1);
  const outer = dims.slice(0, axis).reduce((product, side) => product * side, 1);
  const next = new Float32Array(outer * keep.length * inner);
  for (let o = 0; o < outer; o++) {
    keep.forEach((index, to) => {
      const from = (o * size + index) * inner;
      next.set(data.subarray(from, from + inner), (o * keep.length + to) * inner);
    });
  }
  network.weights.set(name ?? "", { dims: dims.map((side, i) => (i === axis ? keep.length : side)), data: next });
}

/**
 * @param {Network} network
 * @param {Node} conv
 */
const normOf = (network, conv) =>
  network.nodes.find(({ op, inputs }) => op === "BatchNormalization" && inputs[0] === conv.output);

/**
 * @param {Network} network
 * @param {Node} conv
 * @param {readonly number[]} keep
 */
function cutOutputs(network, conv, keep) {
  for (const name of conv.inputs.slice(1)) cut(network, name, 0, keep);
  for (const name of normOf(network, conv)?.inputs.slice(1, 5) ?? []) cut(network, name, 0, keep);
}

/** @param {number} value */
const hardSwish = (value) => value * Math.min(1, Math.max(0, value / 6 + 0.5));

/**
 * The channels a layer gives the same value everywhere, and that value.
 * @param {Network} network
 * @param {Node} conv
 */
function constantsOf(network, conv) {
  const norm = normOf(network, conv);
  if (!norm) throw new Error(`${conv.output} is not normalised`);
  const [scale, offset, mean, variance] = norm.inputs.slice(1, 5).map((name) => network.weightsOf(name).data);
  const { dims, data } = network.weightsOf(conv.inputs[1]);
  const each = data.length / (dims[0] ?? 1);
  /** @type {Map<number, number>} */
  const constants = new Map();
  for (let c = 0; c < (dims[0] ?? 0); c++) {
    const factor = (scale?.[c] ?? 0) / Math.sqrt((variance?.[c] ?? 0) + 1e-5);
    const most = data.subarray(c * each, (c + 1) * each).reduce((high, w) => Math.max(high, Math.abs(w)), 0);
    if (most * Math.abs(factor) >= negligible) continue;
    constants.set(c, hardSwish((offset?.[c] ?? 0) - (mean?.[c] ?? 0) * factor));
  }
  return constants;
}

/**
 * The largest weight a layer has for each of its inputs.
 * @param {Network} network
 * @param {Node} conv
 */
function inputWeights(network, conv) {
  const { dims, data } = network.weightsOf(conv.inputs[1]);
  const [outputs = 0, inputs = 0] = dims;
  const each = data.length / (outputs * inputs);
  return Array.from({ length: inputs }, (_, c) => {
    let most = 0;
    for (let o = 0; o < outputs; o++) {
      for (let i = 0; i < each; i++) most = Math.max(most, Math.abs(data[(o * inputs + c) * each + i] ?? 0));
    }
    return most;
  });
}

/**
 * @param {number} count
 * @param {readonly number[]} dropped
 */
const without = (count, dropped) => Array.from({ length: count }, (_, c) => c).filter((c) => !dropped.includes(c));

/** @param {readonly number[]} channels */
const wholeBlocks = (channels) => channels.slice(0, channels.length - (channels.length % block));

/**
 * A layer that mixes channels, one that looks around in each of them, and the next that mixes, with a gate before it in
 * places: channels the second gives one value everywhere become part of what the third adds anyway.
 * @param {Network} network
 */
function dropChannels(network) {
  const convs = network.nodes.filter(({ op }) => op === "Conv");
  convs.forEach((mixer, i) => {
    const around = convs[i + 1];
    if (mixer.int("group") !== 1 || !around || around.int("group") === 1) return;
    // The two layers of a gate are the only ones that are not normalised.
    const [third, fourth] = [convs[i + 2], convs[i + 3]];
    const gate = third && !normOf(network, third) ? third : undefined;
    const next = gate ? convs[i + 4] : third;
    if (!next) throw new Error(`nothing follows ${around.output}`);
    const weights = inputWeights(network, next);
    const constants = constantsOf(network, around);
    /** @type {(constant: [number, number]) => boolean} */
    const isFree = ([c, value]) => !gate || (weights[c] ?? 0) * Math.abs(value) < forgettable;
    const dropped = wholeBlocks([...constants].filter(isFree).map(([c]) => c));
    if (dropped.length === 0) return;
    const keep = without(weights.length, dropped);
    const sink = gate ?? next;
    const mean = gate ? gate.inputs[2] : normOf(network, next)?.inputs[3];
    addConstants(network, sink, mean, gate ? 1 : -1, dropped, constants);
    cut(network, next.inputs[1], 1, keep);
    if (gate && fourth) {
      cut(network, gate.inputs[1], 1, keep);
      cutOutputs(network, fourth, keep);
    }
    cutOutputs(network, mixer, keep);
    cutOutputs(network, around, keep);
    around.set("group", keep.length);
  });
}

/**
 * What constant inputs come to goes into a bias, or, with the other sign, into the mean that is taken off.
 * @param {Network} network
 * @param {Node} conv
 * @param {string | undefined} target
 * @param {number} sign
 * @param {readonly number[]} channels
 * @param {ReadonlyMap<number, number>} constants
 */
function addConstants(network, conv, target, sign, channels, constants) {
  const { dims, data } = network.weightsOf(conv.inputs[1]);
  const { data: sums } = network.weightsOf(target);
  const inputs = dims[1] ?? 0;
  for (let o = 0; o < (dims[0] ?? 0); o++) {
    for (const c of channels) sums[o] = (sums[o] ?? 0) + sign * (data[o * inputs + c] ?? 0) * (constants.get(c) ?? 0);
  }
}

const last = { mixer: "conv2d_54.tmp_0", readers: ["conv2d_55.tmp_0", "conv2d_58.tmp_0"], gated: "p2o.Mul.3" };

/** The last layer before the reading ones, two fifths of whose channels are nothing. @param {Network} network */
function dropLastChannels(network) {
  const mixer = network.maker(last.mixer);
  const constants = [...constantsOf(network, mixer)].filter(([, value]) => Math.abs(value) < forgettable);
  const dropped = wholeBlocks(constants.map(([c]) => c));
  cutOutputs(network, mixer, without(network.weightsOf(mixer.inputs[1]).dims[0] ?? 0, dropped));
  for (const name of last.readers) {
    const { inputs } = network.maker(name);
    cut(network, inputs[1], 1, without(network.weightsOf(inputs[1]).dims[1] ?? 0, dropped));
  }
}

/** Layers that look a row up and down where there is only one. @param {Network} network */
function flatten(network) {
  for (const name of last.readers) {
    const conv = network.maker(name);
    cut(network, conv.inputs[1], 2, [1]);
    conv.set("kernel_shape", [1, 3]);
    conv.set("pads", [0, 1, 0, 1]);
  }
}

/** Of three rows the pooling that follows takes two. @param {Network} network */
function keepTwoRows(network) {
  const [from, to, axis] = ["two_rows_from", "two_rows_to", "two_rows_axis"];
  network.addWhole(from, 0);
  network.addWhole(to, 2);
  network.addWhole(axis, 2);
  const gated = network.maker(last.gated);
  network.insert(last.gated, "Slice", [gated.inputs[0] ?? "", from, to, axis], "two_rows");
  gated.inputs[0] = "two_rows";
}
