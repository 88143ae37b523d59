"""The recogniser as something that can be changed and asked for what its layers make."""

import os

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper


def path_in(folder, name):
    return os.path.join(folder, name)


class Recogniser:
    def __init__(self, model):
        self.model = model
        self.nodes = list(model.graph.node)
        self.convs = [node for node in self.nodes if node.op_type == "Conv"]
        self.weights = {one.name: one for one in model.graph.initializer}

    def get(self, name):
        return np.array(numpy_helper.to_array(self.weights[name]))

    def set(self, name, values):
        self.weights[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(values, dtype=np.float32), name))

    def norm(self, conv):
        return next((node for node in self.nodes if node.op_type == "BatchNormalization" and node.input[0] == conv.output[0]), None)

    def conv(self, number):
        return next(node for node in self.convs if node.input[1] == f"conv2d_{number}.w_0")

    def cut(self, name, axis, keep):
        self.set(name, np.take(self.get(name), keep, axis))

    def cut_outputs(self, conv, keep):
        norm = self.norm(conv)
        for name in [*conv.input[1:], *(norm.input[1:5] if norm else [])]:
            self.cut(name, 0, keep)
        for attribute in conv.attribute:
            if attribute.name == "group" and attribute.i > 1:
                attribute.i = len(keep)

    def session(self, names):
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        makers = [index for index, node in enumerate(self.nodes) if set(node.output) & set(names)]
        del model.graph.node[max(makers) + 1 :], model.graph.output[:]
        for name in names:
            model.graph.output.add().name = name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        options.log_severity_level = 3
        options.add_session_config_entry("session.set_denormal_as_zero", "1")
        return onnxruntime.InferenceSession(model.SerializeToString(), options)
