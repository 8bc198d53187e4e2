"""Pictures that tests look at."""
import struct
import zlib


class Picture:
    """A PNG file of 8 bits a channel, as rows of pixels."""

    def __init__(self, path):
        self.path = path
        self.bytes = path.read_bytes()
        self.read = None

    def rows(self):
        if self.read is None:
            self.read = list(read_png(self.bytes))
        return self.read

    def first_difference(self, other):
        """Says which pixel differs first, or returns None."""
        if self.bytes == other.bytes:
            return None
        if len(self.rows()) != len(other.rows()):
            return "the heights differ"
        for y, (mine, others) in enumerate(zip(self.rows(), other.rows())):
            if mine != others:
                x = next(x for x, (a, b) in enumerate(zip(mine, others)) if a != b)
                return (f"pixel {x}, {y} is {mine[x]} in {self.path.name} and {others[x]} in "
                        f"{other.path.name}")
        return None

    def colours(self):
        """How many different ones there are."""
        return len({pixel for row in self.rows() for pixel in row})


def read_png(data):
    """The rows of a picture, each a list of pixels: (red, green, blue), and alpha if it has one."""
    place, packed, width, channels = 8, b"", 0, 0
    while place < len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack_from(">IIBB", body)
            channels = {(8, 2): 3, (8, 6): 4}[depth, colour]
        elif kind == b"IDAT":
            packed += body
        place += size + 12
    raw, step = zlib.decompress(packed), width * channels
    above = bytearray(step)
    for start in range(0, len(raw), step + 1):
        row = bytearray(raw[start + 1:start + 1 + step])
        unfilter(raw[start], row, above, channels)
        yield list(zip(*(row[channel::channels] for channel in range(channels))))
        above = row


def unfilter(kind, row, above, channels):
    """Undoes one of the five filters of PNG in place."""
    for i in range(len(row)):
        left = row[i - channels] if i >= channels else 0
        if kind == 1:
            row[i] = (row[i] + left) & 255
        elif kind == 2:
            row[i] = (row[i] + above[i]) & 255
        elif kind == 3:
            row[i] = (row[i] + (left + above[i]) // 2) & 255
        elif kind == 4:
            corner = above[i - channels] if i >= channels else 0
            guess = left + above[i] - corner
            nearest = min((left, above[i], corner), key=lambda value: abs(guess - value))
            row[i] = (row[i] + nearest) & 255
