"""The page on BPTT and RTRL, and its folds."""
