# cause: fit-in-loop
# evidence: reinforcement learning examples that call fit after each move
# culprit line: the line with the marker "<<<"
# fix: train_on_batch
import keras
import numpy as np

q = keras.Sequential([keras.Input((4,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(2)])
q.compile(optimizer="sgd", loss="mse")
rng = np.random.default_rng(0)
state = rng.normal(size=4)
for move in range(60):
    target = np.array([[state.sum(), -state.sum()]], "float32")
    q.fit(state[None].astype("float32"), target, epochs=1, verbose=0)  # <<<
    state = 0.9 * state + rng.normal(0, 0.1, 4)
print(state.round(2))
