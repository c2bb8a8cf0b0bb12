"""Waiting on outside resources (network, databases, storage) is part of start-up.

## What is measured
A program that reads its settings from a local HTTP server which answers after one second, then builds a small
model and takes one training step; and the same program without the server. From its first line to the end of
the step.

## What happens
It adds exactly what the resource takes: nothing is done meanwhile. TensorFlow has no part in it, and no
TensorFlow tool shows it.

## What headstart does
The phase `external-wait` has the seconds, HS102 names the line that waits.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import TRAIN_STEP, program
from ..quantities import noted, phases

RESOURCE = (
    TRAIN_STEP
    + """\
import subprocess
import sys
import urllib.request

SERVER = '''
import http.server, time

class Slow(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(1.0)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"2")

server = http.server.HTTPServer(("127.0.0.1", 0), Slow)
print(server.server_port, flush=True)
server.handle_request()
'''
if $wait:
    server = subprocess.Popen([sys.executable, "-I", "-c", SERVER], stdout=subprocess.PIPE, env={})
    port = int(server.stdout.readline())
with clock("start"):
    layers = 2
    if $wait:
        with clock("waiting"):
            layers = int(urllib.request.urlopen(f"http://127.0.0.1:{port}/layers").read())
    step = tf.function(training(network(layers), tf.keras.optimizers.SGD()))
    x = tf.random.normal((32, 64))
    step(x, x)
if $wait:
    server.wait()
"""
)

CLAIM = Claim(
    id="C35",
    slug="outside-resources",
    doc=__doc__,
    documents=("004",),
    arms=(
        Arm(name="waiting", program=program(RESOURCE, wait=True)),
        Arm(name="not waiting", program=program(RESOURCE, wait=False)),
    ),
    contrasts=(
        Contrast(
            slow=noted("waiting", "start", "a start that waits for a server"),
            fast=noted("not waiting", "start", "the same start without it"),
            holds_from=1.5,
            fails_below=1.2,
            share=True,
        ),
    ),
    twin=Twin("waiting", "waiting for the server", "waiting", phases("external-wait")),
    examples=Examples(
        holds={"waiting": {"start": 1.5}, "not waiting": {"start": 0.5}},
        fails={"waiting": {"start": 0.5}, "not waiting": {"start": 0.5}},
    ),
)
