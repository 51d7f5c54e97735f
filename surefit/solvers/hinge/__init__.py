"""Problems with the hinge loss and its square: support vector machines without a kernel."""
