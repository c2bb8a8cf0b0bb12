"""Plans for Keras' objects: what of them bears on a trace, and what is bookkeeping."""

from __future__ import annotations

from typing import Any

from . import classes
from .asked import OF_LOOPS
from .walk import Walk


def plans() -> tuple[dict[type, Any], list[tuple[type, Any]]]:
    """Called only where Keras is loaded."""
    from keras.src.utils import tracking

    def tracker(walk: Walk, value: Any) -> None:
        # Its lists are the owner's own; its ids are addresses.
        walk.emit(f"tracker {value.locked}")

    classes.IGNORED.update(_IGNORED)
    classes.ASKED.update(_ASKED)
    classes.LATCHED.update(_LATCHED)
    classes.LEFT.update(_LEFT)
    classes.NONE_IS_ABSENT.update(_NONE_IS_ABSENT)
    return {tracking.Tracker: tracker}, []


_IGNORED: dict[str, frozenset[str]] = {
    # Drawn anew in every process where none was given (what was given is in ``_init_seed``). A trace that reads it
    # is seen (``watch.tensorflow.DrawnSeeds``).
    "keras.src.initializers.random_initializers.RandomInitializer": frozenset({"seed"}),
    # Names of nodes made from addresses; the nodes themselves are in ``_nodes_by_depth``.
    "keras.src.ops.function.Function": frozenset({"_nodes"}),
    # Names of attributes that were ever set, for checkpoints.
    "keras.src.backend.tensorflow.trackable.KerasAutoTrackable": frozenset({"_tracked"}),
    # Keyed by running numbers; the variables are in ``_trainable_variables`` in the same order.
    "keras.src.optimizers.base_optimizer.BaseOptimizer": frozenset(
        {"_trainable_variables_indices", "_exclude_from_weight_decay_cache"}
    ),
    # Made from the model, kept by it, and called by its loops only: never by what is traced.
    "keras.src.backend.tensorflow.trainer.TensorFlowTrainer": frozenset(
        {
            "train_function",
            "test_function",
            "predict_function",
            "_eval_epoch_iterator",
        }
    ),
    # Addresses, which nothing reads.
    "keras_hub.src.models.backbone.Backbone": frozenset({"_functional_layer_ids"}),
    "keras_hub.src.models.task.Task": frozenset({"_functional_layer_ids"}),
}
_ASKED: dict[str, frozenset[str]] = {
    # Set by its loops, and read by what is traced only where the program's own step does so.
    "keras.src.backend.tensorflow.trainer.TensorFlowTrainer": OF_LOOPS,
}
_NONE_IS_ABSENT: dict[str, frozenset[str]] = {
    # Made while the cell is called and put back to None when it is done.
    "keras.src.layers.rnn.dropout_rnn_cell.DropoutRNNCell": frozenset(
        {"_dropout_mask", "_recurrent_dropout_mask"}
    ),
}
_LATCHED: dict[str, frozenset[str]] = {
    # Set by a layer's first call; read by exporting, and to name what the layer may create later.
    "keras.src.layers.layer.Layer": frozenset({"_called", "_parent_path"}),
}
_LEFT: dict[str, frozenset[str]] = {
    # Emptied when the layer, or one around it, is called.
    "keras.src.layers.layer.Layer": frozenset({"_losses"}),
}
