"""Numbers beyond float64, which products over many steps reach.

There is one kind of them, and what is asked of them differs:

- `wide`: the numbers, ``mantissa * 2**exponent``, with an exponent for each entry, each row or each matrix.
- `stacks`: how large is the product of these matrices? Norms, and products from step to step.
- `graded`, `graded_svd`: in which directions? Factorizations right to the rounding of each row.
- `plain_bases`, `exact_bases`: in which directions does a run stretch? In float64 with a check after it, and with all
  digits where the check asks for it; for that each cell has its `half_steps`.
- `arithmetic`, `checked_factors`: what is a step made of? One set of equations for all kinds of numbers, and where
  float64 will do for them.
- `residues`: is it 0? Numbers modulo two primes, which say so exactly; they have no size.
- `lengths`: the length of one vector from one end of float64 to the other.
"""
