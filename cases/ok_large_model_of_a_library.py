# cause: none (healthy: a deep model that a library builds in one call)
import keras
import numpy as np

model = keras.applications.DenseNet121(weights=None, input_shape=(32, 32, 3), classes=10)
model.compile(optimizer=keras.optimizers.SGD(0.01), loss="sparse_categorical_crossentropy")
model.optimizer.build(model.trainable_variables)
x = np.random.default_rng(0).normal(size=(32, 32, 32, 3)).astype("float32")
y = np.arange(32) % 10
history = model.fit(x, y, batch_size=8, epochs=2, verbose=0)
print(len(model.layers), np.isfinite(history.history["loss"][-1]))
