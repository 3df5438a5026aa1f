"""The steps of a recipe: train, update, predict, assess, explain."""
