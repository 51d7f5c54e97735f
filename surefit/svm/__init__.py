"""Support vector machines, with scikit-learn's names and certificates."""

from surefit.svm.linear_svc import LinearSVC
from surefit.svm.subgradient_svc import SubgradientSVC
from surefit.svm.svc import SVC
from surefit.svm.svr import SVR

__all__ = ["SVC", "SVR", "LinearSVC", "SubgradientSVC"]
