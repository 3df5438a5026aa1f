"""Finding documents that share an id, in little memory."""

from __future__ import annotations

from array import array

SMALLEST = 1 << 10
MASK = (1 << 64) - 1


class SeenIds:
    """Remembers where each id was first seen, keeping hashes instead of ids.

    An open-addressing table of two 8-byte numbers (hash, position), at most two thirds full:
    24 to 48 bytes a document, constant time each. Two different ids share a 64-bit hash with
    probability n²/2⁶⁵, 3·10⁻⁸ for a million documents; they would be taken for one.
    """

    def __init__(self) -> None:
        self._count = 0
        self._allocate(SMALLEST)

    def first_position(self, identity: str, position: int) -> int | None:
        """Where ``identity`` was seen before, else ``None``, and it is remembered now.

        Positions count from 1.
        """
        key = hash(identity) & MASK
        slot = self._slot(key)
        if self._positions[slot]:
            return self._positions[slot]
        self._keys[slot] = key
        self._positions[slot] = position
        self._count += 1
        if self._count * 3 > len(self._keys) * 2:
            self._grow()
        return None

    def _allocate(self, size: int) -> None:
        self._keys = array("Q", bytes(8 * size))
        self._positions = array("Q", bytes(8 * size))

    def _slot(self, key: int) -> int:
        """Find the slot that holds ``key``, or the empty one it belongs to."""
        keys, positions, mask = self._keys, self._positions, len(self._keys) - 1
        slot = (key ^ key >> 32) & mask
        while positions[slot] and keys[slot] != key:
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        keys, positions = self._keys, self._positions
        self._allocate(2 * len(keys))
        for key, position in zip(keys, positions, strict=True):
            if position:
                slot = self._slot(key)
                self._keys[slot] = key
                self._positions[slot] = position
