"""AdaBoost, and gradient boosting by any base regressor."""
