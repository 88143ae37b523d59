"""Lines of samples.ts as the recogniser takes them."""

import json

import numpy as np

HEIGHT, INK, BORDER = 40, 32, 3


def lines_of(path):
    """The lines of a set."""
    return json.load(open(f"{path}.json", encoding="utf8"))


def picture_of(path, line):
    pixels = np.memmap(path, dtype=np.uint8, mode="r", offset=line["offset"], shape=(line["height"], line["width"]))
    picture = fit(np.array(pixels))
    return np.broadcast_to(picture, (1, 3, *picture.shape)).copy()


def sampled(count, size, scale, pad):
    place = np.clip((np.arange(count) + 0.5) / scale - 0.5 - pad, -2, size + 1).astype(np.float32)
    first = np.floor(place)
    return (first + BORDER).astype(int), place - first


def fit(gray):
    """What fitHeight of src/vision/ocr/resize.ts does."""
    pad = max(1, int(np.floor((HEIGHT - INK) / 2 / INK * gray.shape[0] + 0.5)))
    by = max(1, (gray.shape[0] + 2 * pad) // HEIGHT)
    source = gray
    if by > 1:
        high, wide = gray.shape[0] // by, gray.shape[1] // by
        source = gray[: high * by, : wide * by].reshape(high, by, wide, by).mean((1, 3)).astype(np.uint8)
    own = pad * source.shape[1] / gray.shape[1]
    scale = HEIGHT / (source.shape[0] + 2 * own)
    width = max(32, int(np.ceil((source.shape[1] + 2 * own) * scale / 8)) * 8)
    rim = np.concatenate([source[0], source[-1], source[:, 0], source[:, -1]])
    framed = np.full((source.shape[0] + 2 * BORDER, source.shape[1] + 2 * BORDER), np.bincount(rim).argmax(), np.float32)
    framed[BORDER:-BORDER, BORDER:-BORDER] = source
    left, right = sampled(width, source.shape[1], scale, own)
    top, down = sampled(HEIGHT, source.shape[0], scale, own)
    above = framed[top][:, left] * (1 - right) + framed[top][:, left + 1] * right
    below = framed[top + 1][:, left] * (1 - right) + framed[top + 1][:, left + 1] * right
    return ((above * (1 - down[:, None]) + below * down[:, None]) / 127.5 - 1).astype(np.float32)
