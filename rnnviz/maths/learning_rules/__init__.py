"""The gradient of a loss: BPTT, RTRL, online learning, losses, clipping and what each way costs."""
