"""Texts to tokens: analyzer specs, tokenizers, stop lists and stemmers."""
