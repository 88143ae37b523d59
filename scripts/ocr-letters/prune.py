"""Takes channels out of the recogniser that the others can stand in for.

    python prune.py <folder> <set>...

<folder> holds recogniser.onnx, which becomes smaller, and the sets that samples.ts wrote; whole.onnx keeps what it was. Layer by
layer, the channels go whose absence changes least of what the next layer makes of them, once the weights of that layer are
fitted to what it made before.
Needs numpy, onnx and onnxruntime.
"""

import sys

import numpy as np
import onnx
from lines import lines_of, picture_of
from network import Recogniser, path_in

FOLDER, SETS = sys.argv[1], sys.argv[2:]
LINES = 300
# How many channels the layer that mixes them may lose on its way in; runtimes compute eight at once.
SPARE = {10: 8, 14: 16, 16: 16, 18: 16, 20: 8, 22: 8, 26: 16, 30: 144}
# Keeps the fit from following what the lines have by chance.
DAMPING = 1e-6


class Moments:
    """Of values that go in and what is wanted for them."""

    def __init__(self):
        self.count, self.sums, self.products = 0, 0, 0

    def add(self, given, wanted):
        both = np.concatenate([given[0].reshape(given.shape[1], -1), wanted[0].reshape(wanted.shape[1], -1)]).astype(np.float64)
        self.count += both.shape[1]
        self.sums = self.sums + both.sum(1)
        self.products = self.products + both @ both.T

    def centred(self):
        mean = self.sums / self.count
        return mean, self.products / self.count - np.outer(mean, mean)


def fitted(moments, inputs, importance, spare):
    """The inputs that stay, their weights, what to add and the part that is lost; those whose loss costs least go."""
    mean, spread = moments.centred()
    own, across = spread[:inputs, :inputs], spread[:inputs, inputs:].T
    own = own + np.eye(inputs) * DAMPING * np.trace(own) / inputs
    inverse = np.linalg.inv(own)
    weights = across @ inverse
    left = np.arange(inputs)
    for _ in range(spare):
        cost = ((weights * importance[:, None]) ** 2).sum(0) / np.diag(inverse)
        one = int(np.argmin(cost))
        row = inverse[one] / inverse[one, one]
        weights = np.delete(weights - np.outer(weights[:, one], row), one, 1)
        inverse = np.delete(np.delete(inverse - np.outer(inverse[:, one], row), one, 0), one, 1)
        left = np.delete(left, one)
    wanted = spread[inputs:, inputs:]
    lost = np.trace((wanted - weights @ across[:, left].T) * importance[:, None] ** 2) / np.trace(wanted * importance[:, None] ** 2)
    return left, weights, mean[inputs:] - weights @ mean[left], lost


def measure(whole, smaller, pairs, pictures):
    """Moments of each pair: what a layer of the smaller network is given, and what the whole one made of it there."""
    given = smaller.session([pair[0] for pair in pairs])
    wanted = whole.session([pair[1] for pair in pairs])
    moments = [Moments() for _ in pairs]
    for picture in pictures:
        for own, values, answers in zip(moments, given.run(None, {"x": picture}), wanted.run(None, {"x": picture})):
            own.add(values, answers)
    return moments


def prune(whole, smaller, number, spare, pictures):
    mixer = smaller.conv(number)
    at = smaller.convs.index(mixer)
    isGated = smaller.norm(smaller.convs[at - 1]) is None
    around = smaller.convs[at - 3 if isGated else at - 1]
    before = smaller.convs[smaller.convs.index(around) - 1]
    norm = smaller.norm(mixer)
    scale = smaller.get(norm.input[1]) / np.sqrt(smaller.get(norm.input[4]) + 1e-5)
    gate = smaller.convs[at - 2] if isGated else None
    pairs = [(mixer.input[0], mixer.output[0])] + ([(gate.input[0], gate.output[0])] if gate else [])
    moments = measure(whole, smaller, pairs, pictures)
    count = smaller.get(mixer.input[1]).shape[1]
    keep, weights, added, lost = fitted(moments[0], count, scale, spare)
    smaller.set(mixer.input[1], weights[:, :, None, None])
    smaller.set(norm.input[3], smaller.get(norm.input[3]) - added)
    if gate:
        gone = np.setdiff1d(np.arange(count), keep)
        mean = moments[1].centred()[0][gone]
        smaller.set(gate.input[2], smaller.get(gate.input[2]) + smaller.get(gate.input[1])[:, gone, 0, 0] @ mean)
        smaller.cut(gate.input[1], 1, keep)
        smaller.cut_outputs(smaller.convs[at - 1], keep)
    smaller.cut_outputs(around, keep)
    smaller.cut_outputs(before, keep)
    print(f"conv2d_{number}: {len(keep)} of {count} channels, {100 * lost:.2f} % of what it made is lost", flush=True)


if __name__ == "__main__":
    chance = np.random.default_rng(1)
    pictures = [
        picture_of(path_in(FOLDER, name), line)
        for name in SETS
        for line in chance.choice(lines_of(path_in(FOLDER, name)), LINES // len(SETS), replace=False)
    ]
    whole, smaller = (Recogniser(onnx.load(path_in(FOLDER, "recogniser.onnx"))) for _ in range(2))
    for number, spare in SPARE.items():
        prune(whole, smaller, number, spare, pictures)
    onnx.save(whole.model, path_in(FOLDER, "whole.onnx"))
    onnx.save(smaller.model, path_in(FOLDER, "recogniser.onnx"))
