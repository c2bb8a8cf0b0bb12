import keras
import shown

shown.start()
x, y = shown.data()
model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dropout(0.5), keras.layers.Dense(3, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
print(model.fit(x, y, batch_size=8, epochs=3, verbose=0).history)
shown.end(model)
