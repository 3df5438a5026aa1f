"""Side by side with what people would pick instead, in one run: ``python -m benchmarks``.

A benchmark is a module of ``benchmarks.suite``. Contenders take turns in one process, so that
whatever else the machine does falls on all of them; what counts is the median of the ratios.
Where two contenders should give the same result, that is checked before anything is timed.
Nothing here asserts seconds.
"""
