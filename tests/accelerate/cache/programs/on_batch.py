import keras
import shown

shown.start()
x, y = shown.data()
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3, "softmax")])
model.compile("adamax", "sparse_categorical_crossentropy", metrics=["accuracy"])
for at in range(0, 64, 8):
    print([float(v) for v in model.train_on_batch(x[at:at + 8], y[at:at + 8])])
print([float(v) for v in model.test_on_batch(x, y)])
print(model.predict_on_batch(x[:1]).tolist())
print(model.fit(x[:30], y[:30], batch_size=8, epochs=2, verbose=0).history)
print(model.fit(x, y, batch_size=16, epochs=2, verbose=0).history)
shown.end(model)
