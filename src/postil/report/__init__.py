"""One page that shows how good a model is, where it errs, and what it learned."""
