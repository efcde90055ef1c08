"""rnnviz: see, change and check every number that a recurrent network computes."""

import os

# More BLAS threads than one make these small products several times slower; numpy reads this when it loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from rnnviz.ui.shell import run_app

run_app()
