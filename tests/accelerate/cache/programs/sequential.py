import keras
import shown

shown.start()
x, y = shown.data()
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dropout(0.3),
                          keras.layers.BatchNormalization(), keras.layers.Dense(3, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
print(model.fit(x, y, batch_size=8, epochs=3, verbose=0, validation_split=0.25).history)
print(model.evaluate(x, y, verbose=0, return_dict=True))
print(model.predict(x, verbose=0)[:2].tolist())
shown.end(model)
