"""Support vector machines."""

from surefit.svm.svc import SVC
from surefit.svm.svr import SVR

__all__ = ["SVC", "SVR"]
