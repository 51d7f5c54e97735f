"""Eigenpairs of graphs, of centered Gram matrices and of sparse operators."""
