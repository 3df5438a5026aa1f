"""`postil corpus check`: what to look at in a corpus before training, and what to do about it."""
