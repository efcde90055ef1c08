"""Numbers beyond float64, which products over many steps reach."""
