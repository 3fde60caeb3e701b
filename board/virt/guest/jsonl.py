# SPDX-License-Identifier: GPL-3.0-or-later
"""What the oracles write: a JSON value a line."""
import json


def lines(name):
    with open(name) as file:
        return [json.loads(line) for line in file]
