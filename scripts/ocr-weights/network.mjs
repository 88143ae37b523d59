// @ts-check
import { bytesOf, decode, encode, field } from "./protobuf.mjs";

/**
 * As much of the ONNX format as is needed to change a network. Field numbers are those of onnx.proto.
 * @typedef {import("./protobuf.mjs").Field} Field
 * @typedef {{ dims: number[], data: Float32Array }} Tensor
 */

const inModel = { graph: 7 };
const inGraph = { node: 1, initializer: 5, shapes: 13 };
const inNode = { input: 1, output: 2, name: 3, op: 4, attribute: 5 };
const inAttribute = { name: 1, int: 3, tensor: 5, ints: 8 };
const inTensor = { dims: 1, type: 2, name: 8, raw: 9 };
const floats = 1n;
const wholes = 7;

/**
 * @param {readonly Field[]} fields
 * @param {number} number
 */
const texts = (fields, number) => fields.filter((own) => own.field === number).map((own) => bytesOf(own).toString());

export class Node {
  /** @param {Field[]} fields */
  constructor(fields) {
    this.fields = fields;
    this.op = texts(fields, inNode.op)[0] ?? "";
    this.inputs = texts(fields, inNode.input);
    this.outputs = texts(fields, inNode.output);
  }

  get output() {
    return this.outputs[0] ?? "";
  }

  /** @param {string} name */
  #attribute(name) {
    const index = this.fields.findIndex(
      (own) => own.field === inNode.attribute && texts(decode(bytesOf(own)), inAttribute.name)[0] === name,
    );
    const own = this.fields[index];
    return own && { index, fields: decode(bytesOf(own)) };
  }

  /** @param {string} name */
  tensor(name) {
    const found = this.#attribute(name)?.fields.find((own) => own.field === inAttribute.tensor);
    return found && decode(bytesOf(found));
  }

  /** @param {string} name */
  int(name) {
    return Number(this.#attribute(name)?.fields.find((own) => own.field === inAttribute.int)?.value ?? 1);
  }

  /**
   * Gives an attribute that is there other numbers.
   * @param {string} name
   * @param {number | readonly number[]} values
   */
  set(name, values) {
    const own = this.#attribute(name);
    if (!own) throw new Error(`${this.op} has no ${name}`);
    const numbers = [inAttribute.int, inAttribute.ints];
    const rest = own.fields.filter((part) => !numbers.includes(part.field));
    const next =
      typeof values === "number"
        ? [field(inAttribute.int, values)]
        : values.map((value) => field(inAttribute.ints, value));
    this.fields[own.index] = field(inNode.attribute, [...rest, ...next]);
  }

  /** One like it; no two nodes may have the same name, but they need none. */
  copy() {
    return new Node(this.fields.filter((part) => part.field !== inNode.name));
  }

  toField() {
    const rest = this.fields.filter((own) => own.field !== inNode.input && own.field !== inNode.output);
    return field(inGraph.node, [
      ...this.inputs.map((name) => field(inNode.input, name)),
      ...this.outputs.map((name) => field(inNode.output, name)),
      ...rest,
    ]);
  }
}

/** A network that can be changed: its nodes in the order they are computed, and their weights by name. */
export class Network {
  /** @type {Node[]} */
  nodes = [];
  /** @type {Map<string, Tensor>} */
  weights = new Map();
  /** @type {Field[]} */
  #others = [];
  #model;

  /** @param {Buffer} bytes */
  constructor(bytes) {
    this.#model = decode(bytes);
    for (const own of decode(bytesOf(this.#model.find((part) => part.field === inModel.graph)))) {
      if (own.field === inGraph.node) this.#addNode(new Node(decode(bytesOf(own))));
      else if (own.field !== inGraph.initializer || !this.#addWeights(decode(bytesOf(own)))) this.#others.push(own);
    }
    // Told to spare the reader the trouble of computing them; after a change they are wrong.
    this.#others = this.#others.filter((own) => own.field !== inGraph.shapes);
  }

  /** @param {Node} node */
  #addNode(node) {
    const value = node.op === "Constant" ? node.tensor("value") : undefined;
    if (!value || !this.#addWeights(value, node.output)) this.nodes.push(node);
  }

  /**
   * @param {Field[]} tensor
   * @param {string} [name]
   */
  #addWeights(tensor, name = texts(tensor, inTensor.name)[0]) {
    const raw = tensor.find((own) => own.field === inTensor.raw);
    const isFloat = tensor.some((own) => own.field === inTensor.type && own.value === floats);
    if (!raw || !isFloat || name === undefined) return false;
    const bytes = bytesOf(raw);
    const dims = tensor.filter((own) => own.field === inTensor.dims).map((own) => Number(own.value));
    const data = Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
    this.weights.set(name, { dims, data });
    return true;
  }

  /**
   * @param {string} name
   * @param {number} value
   */
  addWhole(name, value) {
    const raw = Buffer.alloc(8);
    raw.writeBigInt64LE(BigInt(value));
    const tensor = [
      field(inTensor.dims, 1),
      field(inTensor.type, wholes),
      field(inTensor.name, name),
      field(inTensor.raw, raw),
    ];
    this.#others.push(field(inGraph.initializer, tensor));
  }

  /**
   * A node before the one that makes `before`.
   * @param {string} before
   * @param {string} op
   * @param {readonly string[]} inputs
   * @param {string} output
   */
  insert(before, op, inputs, output) {
    const node = new Node([field(inNode.op, op)]);
    node.inputs = [...inputs];
    node.outputs = [output];
    this.nodes.splice(this.nodes.indexOf(this.maker(before)), 0, node);
  }

  /** @param {string} output */
  maker(output) {
    const found = this.nodes.find((node) => node.outputs.includes(output));
    if (!found) throw new Error(`nothing in the network makes ${output}`);
    return found;
  }

  /** @param {string | undefined} name */
  weightsOf(name) {
    const found = this.weights.get(name ?? "");
    if (!found) throw new Error(`the network has no weights called ${name}`);
    return found;
  }

  toBytes() {
    const used = new Set(this.nodes.flatMap(({ inputs }) => inputs));
    const weights = [...this.weights].filter(([name]) => used.has(name));
    const graph = [
      ...this.nodes.map((node) => node.toField()),
      ...this.#others,
      ...weights.map(([name, { dims, data }]) =>
        field(inGraph.initializer, [
          ...dims.map((size) => field(inTensor.dims, size)),
          field(inTensor.type, floats),
          field(inTensor.name, name),
          field(inTensor.raw, Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
        ]),
      ),
    ];
    return encode(this.#model.map((own) => (own.field === inModel.graph ? field(inModel.graph, graph) : own)));
  }
}
