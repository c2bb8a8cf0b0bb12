"""The changes: what is put in the places of `mutable`, and which of them must not matter."""

from __future__ import annotations

_PATCH_LAYER = """
def patched(self, v):
    return keras.ops.relu(keras.ops.matmul(v, self.kernel)) * 0.5
keras.layers.Dense.call = patched
"""
_PATCH_LOSS = """
import keras.src.losses.losses as inside
before = keras.losses.sparse_categorical_crossentropy
def patched(*args, **more):
    return before(*args, **more) * 2.0
keras.losses.sparse_categorical_crossentropy = patched
"""

_PATCH_IN_PLACE = """
import keras.src.backend.tensorflow.numpy as inside
inside.matmul.__code__ = (lambda x1, x2: tf.matmul(x1, x2) * {}).__code__
"""

Mutation = tuple[str, dict[str, str], dict[str, str]]


def _one_by_one(program: str, changes: dict[str, str]) -> dict[str, Mutation]:
    """Each place of the program changed by itself. The loop came first: its mutations go by the place alone."""
    said = "" if program == "loop" else f"{program} "
    return {said + name: (program, {name: value}, {}) for name, value in changes.items()}


#: Name → (program, changes, environment variables).
MUTATIONS: dict[str, Mutation] = {
    **_one_by_one(
        "loop",
        {
            "seed": "8",
            "scale": "2.5",
            "table_a": "3.0",
            "order": '["b", "a", "b"]',
            "array": "9.0",
            "constant": "0.75",
            "big": "2.0",
            "flag": "True",
            "enum": "5",
            "enum_member": "Kind.CUBE",
            "dataclass_default": "4.0",
            "base_attribute": "2.0",
            "inherited": "3.0",
            "property": "2.25",
            "static": "1.0",
            "class_list": "[1, 2, 3]",
            "deep": "4.0",
            "unused": "2",
            "keyword_default": "0.9",
            "decorator": "2.0",
            "default": "5.0",
            "nested_constant": "1.0",
            "closure": "2.0",
            "partial": "3.0",
            "gain": "2.0",
            "optimizer": "Adam(0.02)",
            "literal": "1.0",
            "step_default": "2.0",
            "expression": "* 1.5",
            "numpy_value": "2.0",
            "result": "(loss, loss * 2)",
            "dtype": '.astype("float64")',
            "batch2": "4",
            "argument": ", k=3.0",
            "helper_global": "1.5",
            "helper_unrelated": "2",
            "helper_inner": "2.0",
            "helper_constant": "1.0",
            "helper_uncalled": "2",
            "file": "2.0",
            "environment_default": "yes",
            "function_options": "(autograph=False)",
        },
    ),
    "loop optimizer beta": ("loop", {"optimizer": "Adam(0.01, beta_1=0.5)"}, {}),
    "loop other optimizer": ("loop", {"optimizer": "SGD(0.01, momentum=0.9)"}, {}),
    "loop clipped": ("loop", {"optimizer": "Adam(0.01, clipnorm=0.1)"}, {}),
    "loop environment": ("loop", {}, {"STRENGTH": "high"}),
    "loop environment other": ("loop", {}, {"OTHER": "yes"}),
    "loop jit": ("loop", {"function_options": "(jit_compile=False)"}, {}),
    "loop reduce": ("loop", {"function_options": "(reduce_retracing=True)", "batch2": "at // 8 % 3 + 4"}, {}),
    "loop signature": (
        "loop",
        {
            "function_options": "(input_signature=[tf.TensorSpec((None, 8)), tf.TensorSpec((None,), tf.int64)])"
        },
        {},
    ),
    "loop global changed in between": ("loop", {"between": "SCALE = SCALE + 1"}, {}),
    "loop attribute changed in between": (
        "loop",
        {"between": "thing.gain += 1; batch = 8", "batch2": "8 - at // 32"},
        {},
    ),
    "loop patched function": ("loop", {"monkeypatch": "tf.nn.relu = lambda v: v * 2.0"}, {}),
    "loop patched with the library's": ("loop", {"monkeypatch": "tf.nn.relu = tf.nn.softplus"}, {}),
    "loop patched layer": ("loop", {"monkeypatch": _PATCH_LAYER}, {}),
    "loop patched loss": ("loop", {"monkeypatch": _PATCH_LOSS}, {}),
    "loop patched in place": ("loop", {"monkeypatch": _PATCH_IN_PLACE.format(0.5)}, {}),
    "loop patched in place again": ("loop", {"monkeypatch": _PATCH_IN_PLACE.format(0.25)}, {}),
    "loop patched numpy": ("loop", {"monkeypatch": "np.sum = lambda v: 5.0"}, {}),
    "loop patched constant": ("loop", {"monkeypatch": "math.pi = 3.0", "literal": "1.0"}, {}),
    "loop patched constant again": ("loop", {"monkeypatch": "math.pi = 4.0", "literal": "1.0"}, {}),
    "loop patched with a partial": (
        "loop",
        {"monkeypatch": "tf.nn.relu = functools.partial(lambda v, k: v * k, k=3.0)"},
        {},
    ),
    "loop patched with another partial": (
        "loop",
        {"monkeypatch": "tf.nn.relu = functools.partial(lambda v, k: v * k, k=4.0)"},
        {},
    ),
    "loop patched with a method": (
        "loop",
        {"monkeypatch": "Thing.scaled = lambda self, v: v * self.gain * 2.0; tf.nn.relu = Thing(5.0).scaled"},
        {},
    ),
    "loop patched with another method": (
        "loop",
        {"monkeypatch": "Thing.scaled = lambda self, v: v * self.gain * 2.0; tf.nn.relu = Thing(6.0).scaled"},
        {},
    ),
    "loop patched registry": (
        "loop",
        {
            "monkeypatch": "import keras.src.activations as a; a.ALL_OBJECTS_DICT['relu'] = keras.activations.tanh"
        },
        {},
    ),
    "loop patched method": ("loop", {"monkeypatch": "Thing.inherited = lambda self, v: v * 4.0"}, {}),
    "loop patched instance": ("loop", {"monkeypatch": "thing.inherited = lambda v: v * 6.0"}, {}),
    "loop patched helper": ("loop", {"monkeypatch": "helper.inner = lambda v: v * 8.0"}, {}),
    "loop patched builtin": ("loop", {"monkeypatch": "len = lambda v: 9"}, {}),
    "loop list grown": ("loop", {"monkeypatch": "Thing.instances.append(3)"}, {}),
    "loop dictionary changed": ("loop", {"monkeypatch": 'TABLE["b"] = 5.0'}, {}),
    "loop added attribute": ("loop", {"monkeypatch": "Thing.prop = property(lambda self: 9.0)"}, {}),
    "loop seed unset": ("loop", {"before_build": "tf.random.set_seed(3)"}, {}),
    "loop image format": (
        "loop",
        {"before_build": 'keras.config.set_image_data_format("channels_first")'},
        {},
    ),
    "loop epsilon": ("loop", {"before_build": "keras.config.set_epsilon(1e-2)"}, {}),
    **_one_by_one(
        "fit",
        {
            "seed": "8",
            "factor": "2.0",
            "class_attribute": "2.0",
            "layer_default": "2.5",
            "note": '"b"',
            "weight_trainable": "False",
            "training_constant": "2.0",
            "layer_code": " * 2.0",
            "loss_default": "0.5",
            "metric_constant": "2.0",
            "units": "9",
            "activation": '"tanh"',
            "regularizer": '"l2"',
            "layer_name": '"other"',
            "layer_argument": "by=3.0",
            "rate": "0.5",
            "dropout_seed": "4",
            "lambda_constant": "2.0",
            "extra_layer": "keras.layers.LayerNormalization()(h)",
            "use_bias": "False",
            "optimizer": "Adam(learning_rate=0.1)",
            "loss": '"sparse_categorical_crossentropy"',
            "metrics": '"accuracy"',
            "loss_weights": "2.0",
            "steps_per_execution": "4",
            "jit": "True",
            "eager": "True",
            "data": "n=96",
            "x_cast": '.astype("float64")',
            "batch": "16",
            "shuffle": "True",
            "fit_options": ", class_weight={0: 2.0, 1: 1.0, 2: 1.0}",
        },
    ),
    **_one_by_one(
        "calls",
        {
            "factor": "2.5",
            "rate": "0.2",
            "innermost_default": "3",
            "innermost_constant": "0.5",
            "inner_options": "(reduce_retracing=True)",
            "flag": "False",
            "early": "inner(x[:8], True)",
            "between": "FACTOR = FACTOR + 1.0",
        },
    ),
    **_one_by_one(
        "registers",
        {
            "method": "2.5",
            "conversion": "2.5",
            "dispatch": "2.5",
            "elementwise": "2.5",
            "gradient": "2.5",
            "by_name": "2.5",
            "numbers": "{16, 8}",
            "kind": "collections.abc.Sequence.register(Kindred)",
            "attribute": "2.5",
            "lazy": "2.5",
            "on_a_variable": "2.5",
            "step": "2",
            "collection": "2.5",
        },
    ),
    # What was traced early is part of what is traced later, whatever has become of it since.
    "calls stale value": ("calls", {"early": "FACTOR = 9.0; inner(x[:8], True); FACTOR = 1.5"}, {}),
    "calls stale value, innermost": (
        "calls",
        {"early": "keep = tf.tanh; tf.tanh = tf.sin; innermost(x[:8] @ w); tf.tanh = keep"},
        {},
    ),
    # What is called was kept by the program before, and what calls it was not.
    "calls stale value, innermost, from another": (
        "calls",
        {
            "early": "keep = tf.tanh; tf.tanh = tf.sin; innermost(x[:8] @ w); tf.tanh = keep",
            "factor": "2.5",
        },
        {},
    ),
    "calls stale variable": ("calls", {"early": "inner(x[:8], True); w, other = other, w"}, {}),
    "calls gone variable": ("calls", {"early": "inner(x[:8], True); held, w = w, tf.Variable(w)"}, {}),
    "calls other object": ("calls", {"between": "inner = tf.function(lambda v, flag: v @ w)"}, {}),
    "calls eagerly": ("calls", {"early": "inner.python_function(x[:8], True)"}, {}),
    "fit activation function": ("fit", {"activation": "lambda v: ops.relu(v) * 0.5"}, {}),
    "fit frozen": ("fit", {"after_build": "model.layers[1].trainable = False"}, {}),
    "fit attribute set later": ("fit", {"after_compile": "model.layers[2].by = 5.0"}, {}),
    "fit rate set later": ("fit", {"after_compile": "model.layers[3].rate = 0.75"}, {}),
    "fit learning rate set later": ("fit", {"after_compile": "model.optimizer.learning_rate = 0.5"}, {}),
    "fit beta": ("fit", {"optimizer": "Adam(learning_rate=0.01, beta_2=0.9)"}, {}),
    "fit schedule": (
        "fit",
        {"optimizer": "Adam(keras.optimizers.schedules.ExponentialDecay(0.01, 3, 0.5))"},
        {},
    ),
    "fit decay": ("fit", {"optimizer": "Adam(learning_rate=0.01, weight_decay=0.1)"}, {}),
    "fit accumulation": ("fit", {"optimizer": "Adam(learning_rate=0.01, gradient_accumulation_steps=2)"}, {}),
    "fit policy": ("fit", {"config": 'keras.config.set_dtype_policy("mixed_bfloat16")'}, {}),
    "fit floatx": ("fit", {"config": 'keras.config.set_floatx("float64")'}, {}),
    "fit epsilon": ("fit", {"config": "keras.config.set_epsilon(1e-1)"}, {}),
    "fit no determinism": (
        "fit",
        {
            "config": "tf.config.experimental.disable_op_determinism() if 0 else None; tf.config.optimizer.set_experimental_options({'remapping': False})"
        },
        {},
    ),
    "fit patched layer": ("fit", {"monkeypatch": _PATCH_LAYER}, {}),
    "fit patched loss": ("fit", {"monkeypatch": _PATCH_LOSS}, {}),
    "fit patched ops": ("fit", {"monkeypatch": "ops.mean = lambda v: 3.0"}, {}),
    "fit patched base layer": (
        "fit",
        {"monkeypatch": "keras.layers.Dropout.call = lambda self, v, training=False: v * 2.0"},
        {},
    ),
    "fit patched subclass": (
        "fit",
        {
            "monkeypatch": "keras.layers.Dropout.__call__ = lambda self, *a, **k: keras.layers.Layer.__call__(self, *a, **k) * 2.0"
        },
        {},
    ),
    "fit renamed class": ("fit", {"monkeypatch": "Scale.__name__ = 'Other'"}, {}),
}

#: Changes that no trace can see: a kept trace must be used all the same.
HARMLESS = {
    "unused",
    "helper_unrelated",
    "helper_uncalled",
    "fit learning rate set later",
    "optimizer",
    "fit optimizer",
}

#: Changes that need not change the result: there the test is that the cache does no harm.
MAY_BE_SAME = {
    "unused",
    "helper_unrelated",
    "helper_uncalled",
    "function_options",
    "dtype",
    "loop global changed in between",
    "loop jit",
    "loop image format",
    "loop signature",
    "loop reduce",
    "loop epsilon",
    "calls early",
    "calls eagerly",
    "calls inner_options",
    "fit note",
    "fit loss",
    "fit x_cast",
    "fit epsilon",
    "fit eager",
    "fit jit",
    "fit steps_per_execution",
    "fit no determinism",
    "fit renamed class",
}
