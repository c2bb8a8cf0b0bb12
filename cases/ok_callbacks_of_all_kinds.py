# cause: none
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
x = np.random.default_rng(0).normal(size=(4000, 20)).astype("float32")
y = (x[:, 0] > 0).astype("float32")


class Report(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        lr = float(self.model.optimizer.learning_rate)
        print(f"epoch {epoch} lr {lr:.5f} {logs}")

    def on_train_batch_end(self, batch, logs=None):
        self.last = logs["loss"]


model = tf.keras.Sequential([tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["AUC"])
callbacks = [
    tf.keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True),
    tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "best.keras"), save_best_only=True),
    tf.keras.callbacks.ReduceLROnPlateau(patience=1),
    tf.keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
    Report(),
]
model.fit(x, y, epochs=8, batch_size=64, validation_split=0.2, callbacks=callbacks, verbose=0)
best = tf.keras.models.load_model(os.path.join(folder, "best.keras"))
print(best.evaluate(x, y, verbose=0))
