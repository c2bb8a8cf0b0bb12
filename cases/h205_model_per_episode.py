# cause: model-created-in-loop
# evidence: keras-team/keras#13118 (models made in a loop)
# culprit line: the line with the marker "<<<"  (also acceptable: "<<~")
# fix: one model, its weights reset for each episode
import keras
import numpy as np

rng = np.random.default_rng(0)


def make_policy():
    return keras.Sequential(  # <<<
        [keras.Input((6,)), *[keras.layers.Dense(32, activation="tanh") for _ in range(6)], keras.layers.Dense(2)]
    )


best = -1e9
for episode in range(60):
    policy = make_policy()  # <<~
    score = -float(np.abs(policy.predict_on_batch(rng.normal(size=(32, 6)))).sum())
    best = max(best, score)
print("best", round(best, 2))
