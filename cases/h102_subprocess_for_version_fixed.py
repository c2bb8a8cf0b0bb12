# fixed variant of h102_subprocess_for_version.py
import subprocess
import sys

tool = [sys.executable, "-c", "import time; time.sleep(2); print('v1.2.3')"]  # stands for a slow tool


def version():
    return asked.communicate()[0].strip()


asked = subprocess.Popen(tool, stdout=subprocess.PIPE, text=True)
import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.ones((256, 8), "float32"), np.ones((256, 1), "float32"), epochs=3, verbose=0)
name = version()
print("trained", name)
