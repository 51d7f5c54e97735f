"""What a model answers on a sample of its rows, held against what its fitted attributes say it must answer."""

from surefit.certificates.attributes import SAMPLE, answer_of, numbers_claim, sample_rows

__all__ = ["SAMPLE", "answer_of", "numbers_claim", "sample_rows"]
