"""scikit-learn's own tests, with surefit's classes in the place of its own: `make dropin`."""
