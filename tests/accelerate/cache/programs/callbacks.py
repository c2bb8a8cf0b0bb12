import keras
import shown

shown.start()
x, y = shown.data()


class Every(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        seen.append(round(float(logs["loss"]), 6))


seen = []
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3, "softmax")])
model.compile(keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, batch_size=8, epochs=6, verbose=0, validation_data=(x, y), callbacks=[
    Every(), keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.5, min_delta=1.0),
    keras.callbacks.EarlyStopping(patience=3), keras.callbacks.LearningRateScheduler(lambda e, lr: lr * 0.9)])
print(seen)
shown.end(model)
