"""The study with people: which plans they see, the sheet they fill in, and what they say in it."""
