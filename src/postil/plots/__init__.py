"""Figures: their contents, and their drawing as SVG and PNG."""
