# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads pictures for the oracles: files that PIL knows, raw frames, and JPEGs as planes."""
import ctypes
import ctypes.util

import numpy
from PIL import Image

# libjpeg-turbo's TJSAMP numbers: how many luma samples share a chroma sample, (across, down).
JPEG_SUBSAMPLING = {0: (1, 1), 1: (2, 1), 2: (2, 2), 4: (1, 2)}


def xrgb(path, width, height):
    """Returns red, green and blue of a raw XRGB8888 (little endian) frame."""
    data = numpy.fromfile(path, numpy.uint8, width * height * 4)
    return data.reshape(height, width, 4)[:, :, 2::-1]


def image(path):
    return numpy.asarray(Image.open(path).convert("RGB"))


def nearest(chroma, width, height):
    """Returns chroma at full size by repeating samples, as vkms reads it."""
    down, across = -(-height // chroma.shape[0]), -(-width // chroma.shape[1])
    return chroma.repeat(down, 0).repeat(across, 1)[:height, :width]


def nv12(path, width, height):
    data = numpy.fromfile(path, numpy.uint8, width * height * 3 // 2)
    luma = data[: width * height].reshape(height, width)
    chroma = data[width * height:].reshape(height // 2, width // 2, 2)
    return [luma] + [nearest(chroma[:, :, i], width, height) for i in (0, 1)]


def yuyv(path, width, height, halve_rows=False):
    """Reads a YUYV frame; `halve_rows` averages the chroma of each two rows, as in 4:2:0."""
    data = numpy.fromfile(path, numpy.uint8, width * height * 2).reshape(height, width // 2, 4)
    luma = data[:, :, 0::2].reshape(height, width)
    planes = []
    for index in (1, 3):
        chroma = data[:, :, index].astype(numpy.uint16)
        if halve_rows:
            chroma = (chroma[0::2] + chroma[1::2] + 1) // 2
        planes.append(nearest(chroma.astype(numpy.uint8), width, height))
    return [luma] + planes


def mean_of_rows(chroma):
    """Returns the chroma of 4:2:0 for that of 4:2:2: each two rows become their mean."""
    chroma = chroma.astype(numpy.uint16)
    return ((chroma[0::2] + chroma[1::2] + 1) // 2).astype(numpy.uint8)


def rgb_of(data, name, width, height):
    """Returns red, green and blue of V4L2's uncompressed RGB formats; None for others."""
    if name in ("RGB3", "BGR3"):
        picture = data[: width * height * 3].reshape(height, width, 3)
        return picture if name == "RGB3" else picture[:, :, ::-1]
    if name == "RGBP":
        pixels = data[: width * height * 2].view("<u2").reshape(height, width).astype(numpy.uint16)
        five, six = lambda v: (v << 3 | v >> 2), lambda v: (v << 2 | v >> 4)
        channels = [five(pixels >> 11), six(pixels >> 5 & 63), five(pixels & 31)]
        return numpy.stack(channels, 2).astype(numpy.uint8)
    return None


def yuv_of(data, name, width, height, halve_rows):
    """Returns luma and chroma at full size of V4L2's uncompressed YUV formats (linux/videodev2.h); `halve_rows` makes
    the chroma of 4:2:2 that of 4:2:0."""
    area = width * height
    if name in ("YUYV", "UYVY", "YVYU", "VYUY"):
        quads = data[: area * 2].reshape(height, width // 2, 4)
        luma = quads[:, :, [name.index("Y"), name.rindex("Y")]].reshape(height, width)
        first, second = quads[:, :, name.index("U")], quads[:, :, name.index("V")]
    else:
        luma = data[:area].reshape(height, width)
        if name == "GREY":
            return [luma] + [numpy.full((height, width), 128, numpy.uint8)] * 2
        rows = height // 2 if name in ("NV12", "NV21", "YU12", "YV12") else height
        if name in ("NV24", "NV42"):
            chroma = data[area: area * 3].reshape(height, width, 2)
            first, second = chroma[:, :, 0], chroma[:, :, 1]
        elif name.startswith("NV"):
            chroma = data[area: area + rows * width].reshape(rows, width // 2, 2)
            first, second = chroma[:, :, 0], chroma[:, :, 1]
        else:
            chroma = data[area: area + rows * width].reshape(2, rows, width // 2)
            first, second = chroma[0], chroma[1]
        if name in ("NV21", "NV61", "NV42", "YV12"):
            first, second = second, first
    if halve_rows and first.shape[0] == height:
        first, second = mean_of_rows(first), mean_of_rows(second)
    return [luma] + [nearest(plane, width, height) for plane in (first, second)]


def jpeg_planes(path):
    """Returns luma and chroma as the JPEG holds them, without the decoder's smooth upsampling."""
    library = ctypes.CDLL(ctypes.util.find_library("turbojpeg") or "libturbojpeg.so.0")
    library.tjInitDecompress.restype = ctypes.c_void_p
    decoder = ctypes.c_void_p(library.tjInitDecompress())
    with open(path, "rb") as file:
        data = file.read()
    length = ctypes.c_ulong(len(data))
    size = [ctypes.c_int() for _ in range(4)]
    if library.tjDecompressHeader3(decoder, data, length, *map(ctypes.byref, size)):
        raise ValueError(f"{path} is no JPEG")
    width, height, subsampling = (value.value for value in size[:3])
    across, down = JPEG_SUBSAMPLING[subsampling]
    narrow, low = -(-width // across), -(-height // down)
    shapes = [(height, width), (low, narrow), (low, narrow)]
    planes = [numpy.zeros(shape, numpy.uint8) for shape in shapes]
    pointers = (ctypes.c_void_p * 3)(*(plane.ctypes.data for plane in planes))
    strides = (ctypes.c_int * 3)(*(plane.shape[1] for plane in planes))
    failed = library.tjDecompressToYUVPlanes(decoder, data, length, pointers, width, strides,
                                             height, 0)
    library.tjDestroy(decoder)
    if failed:
        raise ValueError(f"{path} cannot be decoded")
    return [planes[0]] + [nearest(plane, width, height) for plane in planes[1:]]


def to_rgb(planes, matrix, quantisation):
    """Converts by ITU-R BT.601 or BT.709, full or limited range, and rounds once at the end."""
    red, blue = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}[matrix]
    luma, first, second = (plane.astype(numpy.float64) for plane in planes)
    first, second = first - 128, second - 128
    if quantisation == "limited":
        luma = (luma - 16) * 255 / 219
        first, second = first * 255 / 224, second * 255 / 224
    green = 1 - red - blue
    r = luma + 2 * (1 - red) * second
    b = luma + 2 * (1 - blue) * first
    g = luma - 2 * (1 - blue) * blue / green * first - 2 * (1 - red) * red / green * second
    return numpy.clip(numpy.rint(numpy.stack([r, g, b], 2)), 0, 255).astype(numpy.uint8)
