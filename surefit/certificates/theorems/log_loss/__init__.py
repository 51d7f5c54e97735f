"""Logistic and softmax regression: lower bounds, and rays where there is no minimum."""
