# cause: external-wait
# evidence: scripts that ask git, nvidia-smi or a package manager at start
# culprit line: the line with the marker "<<<"
# fix: start the process first and read its answer when it is needed
import subprocess
import sys

tool = [sys.executable, "-c", "import time; time.sleep(2); print('v1.2.3')"]  # stands for a slow tool


def version():
    return subprocess.run(tool, capture_output=True, text=True).stdout.strip()  # <<<


name = version()  # <<~
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.ones((256, 8), "float32"), np.ones((256, 1), "float32"), epochs=3, verbose=0)
print("trained", name)
