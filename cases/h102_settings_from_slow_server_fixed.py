# fixed variant of h102_settings_from_slow_server.py
import http.server
import json
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor


class Slow(http.server.BaseHTTPRequestHandler):
    """Stands for a service on the network that takes a while."""

    def do_GET(self):
        time.sleep(2.5)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"width": 32, "steps": 60}).encode())

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Slow)
threading.Thread(target=server.serve_forever, daemon=True).start()
reply = ThreadPoolExecutor(1).submit(
    lambda: json.load(urllib.request.urlopen("http://127.0.0.1:%d/" % server.server_port))
)

import tensorflow as tf

settings = reply.result()
w = tf.Variable(tf.zeros((settings["width"], 1)))


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss


for i in range(settings["steps"]):
    loss = step(tf.random.normal((16, settings["width"])), tf.ones((16, 1)))
print("loss", float(loss))
