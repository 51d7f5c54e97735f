"""Networks of layers: loss, backpropagation, descent."""
