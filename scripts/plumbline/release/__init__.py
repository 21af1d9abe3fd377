"""A run in the layout of the released data set, with a data card, for sharing (A57)."""
