# cause: none
import collections
import random

import numpy as np
import tensorflow as tf


class Env:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.t = 0
        return self.rng.normal(size=4).astype("float32")

    def step(self, action):
        self.t += 1
        return self.rng.normal(size=4).astype("float32"), 1.0, self.t >= 40


def make():
    return tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(2)])


class Agent:
    def __init__(self):
        self.q, self.target = make(), make()
        self.opt = tf.keras.optimizers.Adam(1e-3)
        self.memory = collections.deque(maxlen=2000)
        self.epsilon = 1.0

    def act(self, s):
        if random.random() < self.epsilon:
            return random.randrange(2)
        return int(tf.argmax(self.values(s[None])[0]))

    @tf.function
    def values(self, s):
        return self.q(s)

    @tf.function
    def learn(self, s, a, r, n, d):
        future = tf.reduce_max(self.target(n), axis=1)
        goal = r + 0.99 * (1 - d) * future
        with tf.GradientTape() as tape:
            chosen = tf.reduce_sum(self.q(s) * tf.one_hot(a, 2), axis=1)
            loss = tf.reduce_mean((goal - chosen) ** 2)
        self.opt.apply_gradients(zip(tape.gradient(loss, self.q.trainable_variables), self.q.trainable_variables))
        return loss


env, agent = Env(), Agent()
for episode in range(30):
    s, done, total = env.reset(), False, 0
    while not done:
        a = agent.act(s)
        n, r, done = env.step(a)
        agent.memory.append((s, a, r, n, float(done)))
        s, total = n, total + r
        if len(agent.memory) >= 64:
            batch = random.sample(agent.memory, 64)
            S, A, R, N, D = (np.array(v) for v in zip(*batch))
            agent.learn(S, A, R.astype("float32"), N, D.astype("float32"))
    agent.epsilon *= 0.95
    if episode % 5 == 0:
        agent.target.set_weights(agent.q.get_weights())
print(total)
