# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the output of the oracles: one JSON value per line."""
import json


def lines(name):
    with open(name) as file:
        return [json.loads(line) for line in file]
