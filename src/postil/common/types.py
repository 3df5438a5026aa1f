"""Types of arrays by the type of their numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]
Flags = NDArray[np.bool_]
