"""Trains the recogniser that prune.py made smaller to make of a line what the whole one makes.

    python refine.py <folder> <minutes> <set>...

<folder> holds whole.onnx and recogniser.onnx, which is trained up to where its two ways to read begin, and the sets that samples.ts
wrote. Needs numpy, onnx, onnxruntime and torch.
"""

import math
import sys
import time
from collections import defaultdict

import numpy as np
import onnx
import torch
import torch.nn.functional as functional
from lines import lines_of, picture_of
from network import Recogniser, path_in

FOLDER, MINUTES, SETS = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
SHARED, READERS = "p2o.AveragePool.1", (("conv2d_31", "batch_norm2d_0"), ("conv2d_34", "batch_norm2d_3"))
BATCH, FASTEST = 4, 1e-4


class Layers:
    """The layers before what is shared, with weights that can be trained."""

    def __init__(self, recogniser):
        end = next(index for index, node in enumerate(recogniser.nodes) if SHARED in node.output)
        self.nodes = recogniser.nodes[: end + 1]
        names = {name for node in self.nodes for name in node.input if name in recogniser.weights and node.op_type != "Slice"}
        self.weights = {name: torch.tensor(recogniser.get(name)) for name in names}
        # Means and variances say the same as offsets and scales.
        fixed = {name for node in self.nodes if node.op_type == "BatchNormalization" for name in node.input[3:]}
        self.trained = [self.weights[name].requires_grad_() for name in sorted(names - fixed)]

    def __call__(self, pictures):
        values = {**self.weights, "x": pictures}
        for node in self.nodes:
            values[node.output[0]] = self.compute(node, [values.get(name) for name in node.input])
        return values[SHARED]

    def compute(self, node, given):
        settings = {one.name: list(one.ints) or one.i for one in node.attribute}
        match node.op_type:
            case "Conv":
                bias = given[2] if len(given) > 2 else None
                return functional.conv2d(given[0], given[1], bias, settings["strides"], settings["pads"][:2], 1, settings["group"])
            case "BatchNormalization":
                values, scale, offset, mean, variance = given
                return functional.batch_norm(values, mean, variance, scale, offset, eps=1e-5)
            case "HardSwish":
                return functional.hardswish(given[0])
            case "HardSigmoid":
                return functional.hardsigmoid(given[0])
            case "Relu":
                return functional.relu(given[0])
            case "GlobalAveragePool":
                return given[0].mean((2, 3), keepdim=True)
            case "Mul":
                return given[0] * given[1]
            case "Slice":
                return given[0][:, :, :2]
            case "AveragePool":
                return functional.avg_pool2d(given[0], 2)
        raise ValueError(node.op_type)


def seen_of(recogniser):
    """What the layers that read see of the shared values, as weights of one."""
    shared = recogniser.get("conv2d_30.w_0").shape[0]
    parts = []
    for conv, norm in READERS:
        scale = recogniser.get(f"{norm}.w_0") / np.sqrt(recogniser.get(f"{norm}.w_2") + 1e-5)
        parts.append(recogniser.get(f"{conv}.w_0")[:, :shared] * scale[:, None, None, None])
    return torch.tensor(np.concatenate(parts).astype(np.float32))


def batches(chance):
    """Lines of the same width together, because what a line is multiplied with depends on all of it."""
    waiting = defaultdict(list)
    lines = [(path_in(FOLDER, name), line) for name in SETS for line in lines_of(path_in(FOLDER, name))]
    for index in chance.permutation(len(lines)):
        picture = picture_of(*lines[index])
        own = waiting[picture.shape[3]]
        own.append(picture)
        if len(own) == BATCH:
            yield np.concatenate(own)
            own.clear()


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    # Training leaves weights so small that the processor computes with them in microcode.
    torch.set_flush_denormal(True)
    whole, smaller = (Recogniser(onnx.load(path_in(FOLDER, name))) for name in ("whole.onnx", "recogniser.onnx"))
    teacher, layers, seen = whole.session([SHARED]), Layers(smaller), seen_of(whole)
    descent = torch.optim.Adam(layers.trained, FASTEST)
    start, recent = time.time(), []
    for step, pictures in enumerate(batches(np.random.default_rng(1))):
        past = (time.time() - start) / 60 / MINUTES
        if past >= 1:
            break
        descent.param_groups[0]["lr"] = FASTEST * min(1, step / 20) * (1 + math.cos(math.pi * past)) / 2
        wanted = torch.cat([torch.from_numpy(teacher.run(None, {"x": one[None]})[0]) for one in pictures])
        made = layers(torch.from_numpy(pictures))
        lost = functional.conv2d(made - wanted, seen, padding=(0, 1)).square().mean()
        whole_of = functional.conv2d(wanted - wanted.mean((0, 2, 3), keepdim=True), seen, padding=(0, 1)).square().mean()
        loss = lost / whole_of
        descent.zero_grad()
        loss.backward()
        descent.step()
        recent.append(loss.item())
        if step % 50 == 49:
            print(f"{step + 1} × {BATCH} lines, {100 * np.mean(recent):.2f} % of what readers see is lost", flush=True)
            recent.clear()
    for name, values in layers.weights.items():
        smaller.set(name, values.detach().numpy())
    onnx.save(smaller.model, path_in(FOLDER, "recogniser.onnx"))
