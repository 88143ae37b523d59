"""Learns the second head of the recogniser: letters with accents.

    python train.py <folder> <epochs> <set>...

<folder> holds recogniser.onnx and alphabet.txt (the network without the head and its letters) and the sets that samples.ts
wrote. The head starts as a copy of the first one, or goes on from learned.bin if that is there, and is written to learned.bin
and learned.json, which put-in.mjs takes. Needs numpy, onnx, onnxruntime and torch; two cores take some minutes an epoch.
"""

import json
import multiprocessing
import os
import sys
import unicodedata

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn as nn
import torch.nn.functional as functional
from lines import lines_of, picture_of
from onnx import numpy_helper

FOLDER, EPOCHS, SETS = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
# What the first head lacks of the languages in text.ts, and signs of program code.
ADDED = "ĄĘŃńŚśŹźŻżĎďĚěŇňŘřŤťŮůĽľĹĺŔŕŐőŰűĞğİŞşĂăȘșȚțÆØÑÃÙÛÿĀāĒēĢģĪīĶķĻļŅņŪūĖėĮįŲųÐðÞþ\\|^~"
ALIKE = {"Æ": "æ", "Ø": "ø", "Ð": "Đ", "ð": "đ", "Þ": "P", "þ": "p"}
# Typographic signs are read as what a keyboard has.
PLAIN = str.maketrans({"’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
SHARED = "p2o.Concat.3"
BATCH, FASTEST = 32, (6e-4, 2e-3)


def path(name):
    return os.path.join(FOLDER, name)


FIRST = [""] + open(path("alphabet.txt"), encoding="utf8").read().rstrip("\n").split("\n")
ALPHABET = FIRST + list(ADDED) + [" "]
CLASS = {letter: index for index, letter in enumerate(ALPHABET)}


def classes_of(text):
    return [CLASS.get(letter) for letter in unicodedata.normalize("NFC", text).translate(PLAIN)]


session = None


def shared_values(order):
    """What the layers before both heads make of a line."""
    global session
    if session is None:
        model = onnx.load(path("recogniser.onnx"))
        model.graph.output.add().name = SHARED
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.set_denormal_as_zero", "1")
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    name, line = order
    (values,) = session.run([SHARED], {"x": picture_of(path(name), line)})
    return values[0, :, 0].T.astype(np.float16)


def read_set(name):
    """Pairs of values and classes; the values are kept in files, because making them takes longest."""
    lines = lines_of(path(name))
    if not os.path.exists(path(f"{name}-lens.npy")):
        with multiprocessing.Pool(2) as pool:
            made = pool.map(shared_values, [(name, line) for line in lines], chunksize=64)
        np.save(path(f"{name}-feat.npy"), np.concatenate(made))
        np.save(path(f"{name}-lens.npy"), np.array([len(values) for values in made]))
    lengths = np.load(path(f"{name}-lens.npy"))
    values = np.load(path(f"{name}-feat.npy"), mmap_mode="r")
    ends = np.cumsum(lengths)
    pairs = [(values[end - length : end], classes_of(line["text"])) for line, length, end in zip(lines, lengths, ends)]
    return [pair for pair in pairs if None not in pair[1] and is_room(*pair)]


def is_room(values, classes):
    return len(values) >= len(classes) + sum(one == next_one for one, next_one in zip(classes, classes[1:]))


class Head(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.around = nn.Conv1d(824, 64, 3, padding=1)
        self.mixed = nn.Conv1d(64, 64, 1)
        self.letters = nn.Linear(64, len(ALPHABET))
        for layer, conv, norm in (self.around, "conv2d_34", "batch_norm2d_3"), (self.mixed, "conv2d_35", "batch_norm2d_4"):
            scale = weights[f"{norm}.w_0"] / torch.sqrt(weights[f"{norm}.w_2"] + 1e-5)
            layer.weight.data = weights[f"{conv}.w_0"][:, :, 0] * scale[:, None, None]
            layer.bias.data = weights[f"{norm}.b_0"] - weights[f"{norm}.w_1"] * scale
        rows, offsets = weights["linear_8.w_0"].T, weights["linear_8.b_0"]
        known = len(FIRST)
        self.letters.weight.data[:known], self.letters.bias.data[:known] = rows[:known], offsets[:known]
        self.letters.weight.data[-1], self.letters.bias.data[-1] = rows[known], offsets[known]
        for letter in ADDED:
            base = CLASS.get(ALIKE.get(letter, unicodedata.normalize("NFD", letter)[0]), known)
            noise = 0.02 * torch.randn(64)
            isKnown = base < known
            self.letters.weight.data[CLASS[letter]] = noise + (rows[base] if isKnown else 0)
            self.letters.bias.data[CLASS[letter]] = offsets[base] - 1 if isKnown else offsets.mean() - 2

    def forward(self, values):
        return self.letters(functional.silu(self.mixed(functional.silu(self.around(values)))).transpose(1, 2))

    def tensors(self):
        """By the names the first head has in the network; the layers that normalise do nothing more."""
        for layer, conv, norm in (self.around, "conv2d_34", "batch_norm2d_3"), (self.mixed, "conv2d_35", "batch_norm2d_4"):
            yield f"{conv}.w_0", layer.weight.data[:, :, None, :]
            yield f"{norm}.w_0", torch.ones(64)
            yield f"{norm}.b_0", layer.bias.data
            yield f"{norm}.w_1", torch.zeros(64)
            yield f"{norm}.w_2", torch.full((64,), 1 - 1e-5)
        yield "linear_8.w_0", self.letters.weight.data.T
        yield "linear_8.b_0", self.letters.bias.data

    def go_on(self):
        kept = json.load(open(path("learned.json"), encoding="utf8"))
        numbers = np.fromfile(path("learned.bin"), "<f4")
        old = {one["name"]: torch.tensor(numbers[one["offset"] :][: np.prod(one["dims"])].reshape(one["dims"])) for one in kept["tensors"]}
        self.around.weight.data, self.around.bias.data = old["conv2d_34.w_0"][:, :, 0], old["batch_norm2d_3.b_0"]
        self.mixed.weight.data, self.mixed.bias.data = old["conv2d_35.w_0"][:, :, 0], old["batch_norm2d_4.b_0"]
        for index, letter in enumerate(["", *kept["letters"], " "]):
            if letter in CLASS:
                self.letters.weight.data[CLASS[letter]] = old["linear_8.w_0"][:, index]
                self.letters.bias.data[CLASS[letter]] = old["linear_8.b_0"][index]

    def write(self):
        listed, offset = [], 0
        with open(path("learned.bin"), "wb") as file:
            for name, tensor in self.tensors():
                file.write(tensor.contiguous().numpy().astype("<f4").tobytes())
                listed.append({"name": name, "dims": list(tensor.shape), "offset": offset})
                offset += tensor.numel()
        with open(path("learned.json"), "w", encoding="utf8") as file:
            json.dump({"letters": ALPHABET[1:-1], "tensors": listed}, file, ensure_ascii=False)


def batches(pairs, order):
    """Lines of about the same length together."""
    for start in range(0, len(order), 20 * BATCH):
        near = sorted(order[start : start + 20 * BATCH], key=lambda index: len(pairs[index][0]))
        groups = [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
        for group in order_of(len(groups)):
            yield [pairs[index] for index in groups[group]]


def order_of(count):
    return chance.permutation(count)


def loss_of(head, pairs):
    lengths = [len(values) for values, _ in pairs]
    values = torch.zeros(len(pairs), 824, max(lengths))
    for row, (own, _) in enumerate(pairs):
        values[row, :, : len(own)] = torch.from_numpy(np.array(own, dtype=np.float32).T)
    likely = functional.log_softmax(head(values), -1).transpose(0, 1)
    wanted = torch.tensor([one for _, classes in pairs for one in classes])
    counts = torch.tensor([len(classes) for _, classes in pairs])
    return functional.ctc_loss(likely, wanted, torch.tensor(lengths), counts, zero_infinity=True)


chance = np.random.default_rng(1)
if __name__ == "__main__":
    torch.manual_seed(1)
    pairs = [pair for name in SETS for pair in read_set(name)]
    model = onnx.load(path("recogniser.onnx"))
    head = Head({one.name: torch.tensor(np.array(numpy_helper.to_array(one))) for one in model.graph.initializer})
    isNew = not os.path.exists(path("learned.bin"))
    if not isNew:
        head.go_on()
    groups = [[*head.around.parameters(), *head.mixed.parameters()], [*head.letters.parameters()]]
    rates = [rate if isNew else rate / 2 for rate in FASTEST]
    steps = EPOCHS * (len(pairs) // BATCH + 20)
    descent = torch.optim.AdamW([{"params": group, "lr": rate} for group, rate in zip(groups, rates)], weight_decay=1e-4)
    pace = torch.optim.lr_scheduler.OneCycleLR(descent, rates, total_steps=steps, pct_start=0.1)
    for epoch in range(EPOCHS):
        losses = []
        for batch in batches(pairs, order_of(len(pairs))):
            loss = loss_of(head, batch)
            descent.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(head.parameters(), 5)
            descent.step()
            pace.step()
            losses.append(loss.item())
        head.write()
        print(f"epoch {epoch + 1}: {len(pairs)} lines, loss {np.mean(losses):.4f}", flush=True)
