# SPDX-License-Identifier: GPL-3.0-or-later
"""make-jpegs.py FOLDER COUNT WIDTHxHEIGHT...: gradients and squares, different in each file."""
import sys

import numpy
from PIL import Image

folder, count = sys.argv[1], int(sys.argv[2])
for size in sys.argv[3:]:
    width, height = map(int, size.split("x"))
    y, x = numpy.mgrid[0:height, 0:width]
    for number in range(count):
        squares = (x // 32 + y // 32 + number) % 2 * 150 + 50
        planes = [(x * 255 // width + number * 30) % 256, (y * 255 // height), squares]
        picture = Image.fromarray(numpy.stack(planes, 2).astype(numpy.uint8))
        picture.save(f"{folder}/{size}-{number:02}.jpg", quality=90, subsampling="4:2:2")
