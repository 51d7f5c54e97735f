"""The likelihood of logistic and softmax regression, maximised."""
